// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.stage;

import java.nio.file.Path;

/// An application's files at one commit, secrets already decrypted by the agent.
public interface Source {
    String commit();

    Path directory();

    /// The repository's `.pipe`, which need not exist.
    Path sharedDirectory();

    /// What the application's file says to this plugin: `spec.plugins.NAME`, or the `spec` of the
    /// old kinds. Keys the record does not have are passed over, as in the public system.
    <S> S spec(Class<S> type);
}
