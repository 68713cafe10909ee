// SPDX-License-Identifier: Apache-2.0
/// Tests of the connection to a control plane that is not there, or not one.
@NullMarked
package dev.pipecd.cli.connect;

import org.jspecify.annotations.NullMarked;
