// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A plugin for every rule that breaks it and nothing else, and one that breaks none.
@Execution(ExecutionMode.CONCURRENT)
class ConformanceTest {
    /// What a bad plugin is waited for; the good ones never come near.
    private static final Limits SHORT =
            new Limits(
                    Duration.ofMinutes(1),
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(2));

    @TempDir Path folder;

    private Report of(RawPlugin plugin, List<Trial.Sample> quick, List<Trial.Sample> lasting)
            throws Exception {
        return Conformance.of(
                plugin, new Trial("raw", "{}", Map.of(), folder, quick, lasting), SHORT);
    }

    private Report of(RawPlugin plugin) throws Exception {
        return of(
                plugin,
                List.of(new Trial.Sample(RawPlugin.STAGE, "quick")),
                List.of(new Trial.Sample(RawPlugin.STAGE, "long")));
    }

    @Test
    void aGoodPluginKeepsEveryRule() throws Exception {
        var report = of(RawPlugin.breaking());

        assertThat(report.verdicts().values()).as(report.text()).hasSize(10);
        assertThat(report.verdicts().values())
                .as(report.text())
                .allMatch(Verdict.Kept.class::isInstance);
        assertThat(report.text())
                .startsWith("kept         start           It starts by the contract")
                .endsWith("raw: 10 kept, 0 broken, 0 not checked\n");
    }

    @ParameterizedTest
    @EnumSource(Rule.class)
    void aBadPluginBreaksExactlyItsRule(Rule rule) throws Exception {
        var report = of(RawPlugin.breaking(rule));

        assertThat(report.broken()).as(report.text()).containsExactly(rule);
    }

    @Test
    void whatCannotBeLookedAtIsNotCalledKept() throws Exception {
        var report = of(RawPlugin.breaking(), List.of(), List.of());

        assertThat(report.broken()).isEmpty();
        assertThat(report.verdicts().get(Rule.CRASH))
                .isEqualTo(
                        new Verdict.NotChecked(
                                "tell a stage of [RAW] and its options by --stage and --long-stage"));
        assertThat(report.text()).endsWith("raw: 5 kept, 0 broken, 5 not checked\n");
    }
}
