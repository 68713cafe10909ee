// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.stage;

import java.util.List;

/// A plugin that offers stages and nothing else, and how to end work that a stage left behind.
public record StagePlugin(String name, List<Stage<?>> stages, LeftBehind leftBehind)
        implements StageOwner {
    public StagePlugin {
        stages = List.copyOf(stages);
    }

    public static StagePlugin named(String name, Stage<?>... stages) {
        return new StagePlugin(name, List.of(stages), _ -> {});
    }

    /// The same plugin with a way to end what outlives its host.
    public StagePlugin ending(LeftBehind hook) {
        return new StagePlugin(name, stages, hook);
    }
}
