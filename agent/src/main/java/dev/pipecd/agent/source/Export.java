// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import java.nio.file.Path;

/// A folder with what one application needs of one commit; the shared configuration folder may not
/// exist.
public record Export(Path root, Path applicationDirectory, Path sharedConfigDirectory) {}
