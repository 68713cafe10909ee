// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import com.google.protobuf.ByteString;
import dev.pipecd.wire.plugin.common.DeploymentSource;
import java.nio.file.Path;

/// One commit of an application as a plugin finds it on disk, without folders where it reads none;
/// the file is the whole document.
public record SourceDirs(
        Path applicationDirectory,
        Path sharedConfigDirectory,
        String commitHash,
        String configFilename,
        ByteString config) {
    DeploymentSource onTheWire() {
        return DeploymentSource.newBuilder()
                .setApplicationDirectory(applicationDirectory.toString())
                .setSharedConfigDirectory(sharedConfigDirectory.toString())
                .setCommitHash(commitHash)
                .setApplicationConfigFilename(configFilename)
                .setApplicationConfig(config)
                .build();
    }
}
