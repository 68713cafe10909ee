// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.testkit;

import java.nio.file.Path;
import java.time.Instant;

/// What a [FakeAgent] is to have a plugin run.
public record StageOrder(
        String plugin, String stage, String name, int index, String with, Path directory) {
    public static final String DEPLOYMENT = "deployment-1";
    public static final Instant STARTED_AT = Instant.parse("2026-01-31T12:00:00Z");
}
