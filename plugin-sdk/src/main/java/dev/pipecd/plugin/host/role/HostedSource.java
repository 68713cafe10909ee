// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host.role;

import dev.pipecd.config.ConfigException;
import dev.pipecd.config.PlatformNames;
import dev.pipecd.config.read.Documents;
import dev.pipecd.domain.Problem;
import dev.pipecd.plugin.host.options.OptionsReader;
import dev.pipecd.plugin.stage.Source;
import dev.pipecd.wire.plugin.common.DeploymentSource;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/// An application's files as the agent prepared them. `plugin` is the name the agent's
/// configuration gives the plugin, `kind` the one it has by itself; `passedOver` hears of keys that
/// nobody reads.
record HostedSource(String plugin, String kind, DeploymentSource wire, Consumer<String> passedOver)
        implements Source {
    @Override
    public String commit() {
        return wire.getCommitHash();
    }

    @Override
    public Path directory() {
        requireLaidOut();
        return Path.of(wire.getApplicationDirectory());
    }

    /// An empty path would be the folder this process happens to run in. The agent laid out what
    /// the process before this one read, which was another program.
    private void requireLaidOut() {
        if (wire.getApplicationDirectory().isEmpty())
            throw new Problem(
                    Problem.Code.PLUGIN_UNAVAILABLE,
                    "files of commit %s: not laid out by the agent (expected: a folder)"
                            .formatted(wire.getCommitHash()),
                    "Sync again: plugin %s was replaced by one that reads more.".formatted(plugin));
    }

    @Override
    public Path sharedDirectory() {
        requireLaidOut();
        return Path.of(wire.getSharedConfigDirectory());
    }

    @Override
    public <S> S spec(Class<S> type) {
        var file = wire.getApplicationConfigFilename();
        try {
            var plugins =
                    Documents.application(file, wire.getApplicationConfig().toByteArray())
                            .value()
                            .plugins();
            var own =
                    Optional.ofNullable(plugins.get(plugin))
                            .or(() -> Optional.ofNullable(plugins.get(PlatformNames.plain(kind))));
            var text = own.map(Object::toString).orElse("{}").getBytes(StandardCharsets.UTF_8);
            var spec = OptionsReader.read(text, type);
            for (var unknown : OptionsReader.unknown(text, type))
                passedOver.accept(
                        "%s: plugins.%s: %s; it is passed over".formatted(file, plugin, unknown));
            return spec;
        } catch (ConfigException e) {
            throw new Problem(
                    Problem.Code.CONFIG_INVALID,
                    String.valueOf(e.getMessage()),
                    "Correct the application's file.",
                    e);
        } catch (Problem e) {
            throw new Problem(
                    e.code(),
                    file + ": plugins." + plugin + ": " + e.message(),
                    "Correct the application's file.",
                    e);
        }
    }
}
