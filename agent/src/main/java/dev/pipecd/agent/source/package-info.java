// SPDX-License-Identifier: Apache-2.0
/// Git: bare mirrors fetched with the `git` program, read in process, exported per application.
@NullMarked
package dev.pipecd.agent.source;

import org.jspecify.annotations.NullMarked;
