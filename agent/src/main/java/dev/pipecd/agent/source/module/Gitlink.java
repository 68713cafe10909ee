// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source.module;

import java.nio.file.Path;

/// A folder of a commit that is a commit of another repository.
///
/// @param path from the root of the repository that names it
/// @param folder where its files belong on the disk; there and empty
/// @param needed whether it is in what belongs to the application or is named by its file, and not
///   only in what is mentioned somewhere
public record Gitlink(String path, String commit, Path folder, boolean needed) {}
