// SPDX-License-Identifier: Apache-2.0
/// `pipectl migrate`: from agents with built-in platforms to agents with plugins.
@NullMarked
package dev.pipecd.cli.migrate;

import org.jspecify.annotations.NullMarked;
