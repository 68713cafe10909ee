// SPDX-License-Identifier: Apache-2.0
/// `pipectl encrypt`.
@NullMarked
package dev.pipecd.cli.secret;

import org.jspecify.annotations.NullMarked;
