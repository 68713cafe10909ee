// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import dev.pipecd.config.Warning;
import dev.pipecd.wire.model.Deployment;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// What the opening of a deployment leaves on its document for whoever looks after it later, also
/// after a restart. They stand in `metadata_v2.shared`, where the public protocol has room.
public final class Marks {
    /// A newer deployment gives up those that still wait.
    public static final String NEWEST_ONLY = "pipecd/newest-only";

    /// What the application's file says without effect, a line each.
    public static final String WARNINGS = "pipecd/warnings";

    /// The application's file could not be read when the deployment was opened.
    public static final String UNREADABLE = "pipecd/config-unreadable";

    /// Which orders led to it, by their ids.
    public static final String ORDERS = "pipecd/orders";

    private static final int MOST_WARNINGS = 20;

    private Marks() {}

    /// As they stand in the mark, and as the reason of an application that is in sync.
    public static String told(List<Warning> warnings) {
        var told =
                warnings.stream()
                        .limit(MOST_WARNINGS)
                        .map(Warning::toString)
                        .collect(Collectors.joining("\n"));
        var more = warnings.size() - MOST_WARNINGS;
        return more > 0 ? told + "\nand %d more".formatted(more) : told;
    }

    /// Which orders it carries out.
    public static List<String> orders(Deployment sheet) {
        return of(sheet, ORDERS).map(ids -> List.of(ids.split(","))).orElse(List.of());
    }

    public static Optional<String> of(Deployment sheet, String mark) {
        var shared = sheet.getMetadataV2().getShared();
        return shared.containsKeyValues(mark)
                ? Optional.of(shared.getKeyValuesOrThrow(mark))
                : Optional.empty();
    }
}
