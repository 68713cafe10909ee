// SPDX-License-Identifier: Apache-2.0
/// What pipectl does once it is connected, and how it shows what came back.
@NullMarked
package dev.pipecd.cli.task;

import org.jspecify.annotations.NullMarked;
