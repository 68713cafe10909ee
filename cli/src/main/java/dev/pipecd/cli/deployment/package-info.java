// SPDX-License-Identifier: Apache-2.0
/// `pipectl deployment`.
@NullMarked
package dev.pipecd.cli.deployment;

import org.jspecify.annotations.NullMarked;
