// SPDX-License-Identifier: Apache-2.0
/// Folders and files of a commit: found by their paths, and written to the disk.
@NullMarked
package dev.pipecd.agent.source.tree;

import org.jspecify.annotations.NullMarked;
