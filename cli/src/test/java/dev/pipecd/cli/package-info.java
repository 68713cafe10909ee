// SPDX-License-Identifier: Apache-2.0
/// Tests of pipectl against a real server on a loopback port.
@NullMarked
package dev.pipecd.cli;

import org.jspecify.annotations.NullMarked;
