// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.drift;

import com.google.protobuf.ByteString;
import dev.pipecd.agent.plugin.LiveState;
import dev.pipecd.agent.plugin.SourceDirs;
import dev.pipecd.config.Warning;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.wire.model.Application;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/// Plugins that see what a test says.
final class ScriptedSight implements Sight {
    final List<String> heads = new CopyOnWriteArrayList<>();
    final List<String> looks = new CopyOnWriteArrayList<>();
    final List<String> done = new CopyOnWriteArrayList<>();
    final Map<String, Eye> eyes = new ConcurrentHashMap<>();
    volatile List<Warning> warnings = List.of();
    private final Set<String> blind = ConcurrentHashMap.newKeySet();

    interface Eye {
        LiveState look(Application application) throws InterruptedException;
    }

    @Override
    public boolean offered(String plugin) {
        return eyes.containsKey(plugin) && !blind.contains(plugin);
    }

    @Override
    public Optional<Head> head(Application application) {
        heads.add(application.getId());
        return Optional.of(
                new Head(
                        new SourceDirs(
                                Path.of("/app"),
                                Path.of("/.pipe"),
                                "abc",
                                "app.pipecd.yaml",
                                ByteString.EMPTY),
                        warnings));
    }

    @Override
    public LiveState look(
            String plugin, Application application, List<String> targets, SourceDirs head)
            throws InterruptedException {
        looks.add(plugin + " " + application.getId() + " " + targets);
        var eye = eyes.get(plugin);
        if (eye == null) throw new IllegalStateException("nobody offers " + plugin);
        var seen = eye.look(application);
        if (seen instanceof LiveState.NotOffered) blind.add(plugin);
        return seen;
    }

    @Override
    public void done(Application application) {
        done.add(application.getId());
    }

    @Override
    public void keep(Set<ApplicationId> applications) {}
}
