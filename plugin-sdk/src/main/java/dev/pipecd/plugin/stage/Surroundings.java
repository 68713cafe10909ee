// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.stage;

import java.nio.file.Path;
import java.util.Optional;

/// What a plugin can lay hands on whatever it is asked: its configuration, programs, and what it
/// keeps for an application.
public interface Surroundings {
    /// The plugin's `config` in the agent's configuration.
    <C> C config(Class<C> type);

    /// The `config` of a deploy target.
    <T> T config(DeployTarget target, Class<T> type);

    /// Where the agent put a program of this name and version, installed by `script` if it was not
    /// there yet. The script may use `{{ .Version }}`, `{{ .TmpDir }}`, `{{ .Os }}`, `{{ .Arch }}`
    /// and leaves the program at `{{ .OutPath }}`.
    Path tool(String name, String version, String script) throws InterruptedException;

    /// What this plugin keeps for the application from one deployment to the next.
    Optional<byte[]> kept(String key) throws InterruptedException;

    void keep(String key, byte[] content) throws InterruptedException;
}
