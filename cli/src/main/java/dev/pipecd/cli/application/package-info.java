// SPDX-License-Identifier: Apache-2.0
/// `pipectl application`.
@NullMarked
package dev.pipecd.cli.application;

import org.jspecify.annotations.NullMarked;
