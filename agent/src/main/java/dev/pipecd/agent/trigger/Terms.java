// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import dev.pipecd.agent.notify.Mentions;
import dev.pipecd.agent.report.Marks;
import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.config.ApplicationConfig.ChainLink;
import dev.pipecd.config.Loaded;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What an application's file asks of each deployment that is opened for it.
///
/// @param marks left on its document
/// @param chain who is deployed after it
record Terms(Map<String, String> marks, List<ChainLink> chain) {
    private static final String YES = "true";

    Terms {
        marks = Map.copyOf(marks);
        chain = List.copyOf(chain);
    }

    static Terms of(Loaded<ApplicationConfig> file) {
        var marks = new LinkedHashMap<String, String>();
        var additions = file.value().additions();
        Mentions.written(additions.mentions()).ifPresent(value -> marks.put(Mentions.KEY, value));
        if (file.value().planner().newestOnly()) marks.put(Marks.NEWEST_ONLY, YES);
        if (!file.warnings().isEmpty()) marks.put(Marks.WARNINGS, Marks.told(file.warnings()));
        return new Terms(marks, additions.postSyncChain());
    }

    /// Nobody knows what it asks; the deployment will fail with the reason.
    static Terms unreadable() {
        return new Terms(Map.of(Marks.UNREADABLE, YES), List.of());
    }
}
