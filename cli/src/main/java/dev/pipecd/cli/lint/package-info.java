// SPDX-License-Identifier: Apache-2.0
/// `pipectl config`: looks at configuration files before anyone else does.
@NullMarked
package dev.pipecd.cli.lint;

import org.jspecify.annotations.NullMarked;
