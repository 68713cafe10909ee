// SPDX-License-Identifier: Apache-2.0
/// The house rules that a machine keeps, each with a fault planted to see it fail.
@NullMarked
package dev.pipecd.architecture;

import org.jspecify.annotations.NullMarked;
