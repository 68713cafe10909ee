// SPDX-License-Identifier: Apache-2.0
/// How pipectl reaches a control plane and what it says when it cannot.
@NullMarked
package dev.pipecd.cli.connect;

import org.jspecify.annotations.NullMarked;
