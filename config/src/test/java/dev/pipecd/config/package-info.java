// SPDX-License-Identifier: Apache-2.0
/// Tests of the values documents are made of.
@NullMarked
package dev.pipecd.config;

import org.jspecify.annotations.NullMarked;
