// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.stage;

import java.util.List;

/// What every plugin is: a name, the stages it runs, and the records its part of the agent's
/// configuration is read into. What else it does, it says by the interfaces of `platform`.
public interface StageOwner {
    String name();

    List<Stage<?>> stages();

    /// How to end work that outlives the plugin.
    default LeftBehind leftBehind() {
        return _ -> {};
    }

    /// The record of the plugin's `config`; a value that does not fit is told at start.
    default Class<?> configType() {
        return NoOptions.class;
    }

    /// The record of the `config` of each of its deploy targets.
    default Class<?> targetConfigType() {
        return NoOptions.class;
    }
}
