// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import java.nio.file.Path;
import java.util.List;

/// A folder with what one application needs of one commit; the shared configuration folder may not
/// exist.
public record Export(Path root, Path applicationDirectory, Path sharedConfigDirectory) {
    static Export in(Path root, List<String> applicationDirectory) {
        var directory = root;
        for (var part : applicationDirectory) directory = directory.resolve(part);
        return new Export(root, directory, root.resolve(".pipe"));
    }
}
