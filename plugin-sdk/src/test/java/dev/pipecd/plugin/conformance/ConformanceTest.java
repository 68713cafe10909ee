// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A plugin for every rule that breaks it and nothing else, and one that breaks none.
@Execution(ExecutionMode.CONCURRENT)
class ConformanceTest {
    /// Only what the plugin fails to do in time is waited for in earnest: the rest may be slow, as
    /// a busy machine is.
    private static Limits limits(Rule... broken) {
        var rules = Set.of(broken);
        return new Limits(
                Duration.ofMinutes(5),
                limit(rules.contains(Rule.DEADLINE)),
                limit(rules.contains(Rule.CANCELLATION)),
                limit(rules.contains(Rule.END)));
    }

    private static Duration limit(boolean passed) {
        return passed ? Duration.ofSeconds(10) : Duration.ofMinutes(5);
    }

    @TempDir Path folder;

    private Report of(List<Trial.Sample> quick, List<Trial.Sample> lasting, Rule... broken)
            throws Exception {
        var trial = new Trial("raw", "{}", Map.of(), Map.of(), folder, quick, lasting);
        return Conformance.of(RawPlugin.breaking(broken), trial, limits(broken));
    }

    private Report of(RawPlugin plugin, Rule... broken) throws Exception {
        return of(plugin, limits(broken));
    }

    private Report of(RawPlugin plugin, Limits limits) throws Exception {
        var quick = List.of(new Trial.Sample(RawPlugin.STAGE, "quick"));
        var lasting = List.of(new Trial.Sample(RawPlugin.STAGE, "long"));
        var trial = new Trial("raw", "{}", Map.of(), Map.of(), folder, quick, lasting);
        return Conformance.of(plugin, trial, limits);
    }

    private Report needing(String tool, Map<String, Path> tools) throws Exception {
        var trial = new Trial("raw", "{}", Map.of(), tools, folder, List.of(), List.of());
        return Conformance.of(RawPlugin.needing(tool), trial, limits());
    }

    private Report of(Rule... broken) throws Exception {
        return of(RawPlugin.breaking(broken), broken);
    }

    @Test
    void aGoodPluginKeepsEveryRule() throws Exception {
        var report = of();

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
        var report = of(rule);

        assertThat(report.broken()).as(report.text()).containsExactly(rule);
    }

    @Test
    void onAPluginThatDoesNotStartAgainThereIsAReportToo() throws Exception {
        var report = of(RawPlugin.startingOnce());

        assertThat(report.broken()).as(report.text()).containsExactly(Rule.CRASH);
        assertThat(report.verdicts().get(Rule.CRASH))
                .isEqualTo(new Verdict.Broken("the plugin ended: cannot start"));
        assertThat(report.verdicts().get(Rule.END))
                .isEqualTo(
                        new Verdict.NotChecked("it does not start again: it ended: cannot start"));
        assertThat(report.text()).endsWith("raw: 6 kept, 1 broken, 3 not checked\n");
    }

    @Test
    void aPluginThatHangsWhenItIsStartedAgainBreaksOneRule() throws Exception {
        var usual = limits();
        var limits = new Limits(limit(true), usual.answer(), usual.stop(), usual.end());

        var report = of(RawPlugin.answeringOnce(), limits);

        assertThat(report.broken()).as(report.text()).containsExactly(Rule.CRASH);
        assertThat(report.verdicts().get(Rule.CRASH))
                .isEqualTo(new Verdict.Broken("no answer within 10 s: cannot start"));
        assertThat(report.verdicts().get(Rule.BIG_PAYLOAD))
                .isEqualTo(
                        new Verdict.NotChecked(
                                "it does not start again: no answer within 10 s: cannot start"));
        assertThat(report.text()).endsWith("raw: 6 kept, 1 broken, 3 not checked\n");
    }

    @Test
    void aScriptThatIsRunOnceKeepsEveryRule() throws Exception {
        var report = scripts(RawPlugin.scripts());

        assertThat(report.broken()).as(report.text()).isEmpty();
        assertThat(report.text()).endsWith("raw: 10 kept, 0 broken, 0 not checked\n");
    }

    @Test
    void aScriptThatIsRunOnceAfterAWordKeepsEveryRule() throws Exception {
        var report = scripts(RawPlugin.speakingScripts());

        assertThat(report.broken()).as(report.text()).isEmpty();
        assertThat(report.text()).endsWith("raw: 10 kept, 0 broken, 0 not checked\n");
    }

    /// Its outcomes are the same each time: only what was done tells.
    @ParameterizedTest
    @EnumSource(names = {"IDEMPOTENCY", "CRASH"})
    void aScriptThatIsRunTwiceBreaksARule(Rule rule) throws Exception {
        var report = scripts(RawPlugin.scripts(rule), rule);

        expectDoneTwice(report, rule);
    }

    @Test
    void aScriptThatIsRunTwiceAfterAWordBreaksARule() throws Exception {
        var report = scripts(RawPlugin.speakingScripts(Rule.CRASH), Rule.CRASH);

        expectDoneTwice(report, Rule.CRASH);
    }

    private static void expectDoneTwice(Report report, Rule rule) {
        assertThat(report.broken()).as(report.text()).containsExactly(rule);
        assertThat(report.verdicts().get(rule))
                .isEqualTo(
                        new Verdict.Broken(
                                "SCRIPT_RUN called again did its work once more (expected: what was done is not done"
                                        + " twice)"));
    }

    /// That a script is not begun again is waited for.
    private Report scripts(RawPlugin plugin, Rule... broken) throws Exception {
        var trial = new Trial("raw", "{}", Map.of(), Map.of(), folder, List.of(), List.of());
        var usual = limits();
        var answer = limit(!Set.of(broken).contains(Rule.CRASH));
        var limits = new Limits(usual.start(), answer, usual.stop(), usual.end());
        return Conformance.of(plugin, trial, limits);
    }

    @Test
    void aToolThatAPluginAsksForIsTheOneOfThisMachine() throws Exception {
        var report = askingFor("sh");

        assertThat(report.verdicts().get(Rule.STAGE))
                .as(report.text())
                .isEqualTo(new Verdict.Kept());
    }

    @Test
    void aPluginIsNotCalledBrokenForAToolThatIsNotThere() throws Exception {
        var report = askingFor("no-such-tool");

        assertThat(report.broken()).as(report.text()).isEmpty();
        assertThat(report.verdicts().get(Rule.STAGE))
                .isEqualTo(
                        new Verdict.NotChecked(
                                "it asked for no-such-tool, which is not on the PATH: name it by --tool"
                                        + " (RAW failed: FAILED_PRECONDITION: tool: no-such-tool 1.0"
                                        + " cannot be installed (expected: a program of that name on the PATH))"));
    }

    /// As the public plugin for Kubernetes does.
    @Test
    void oneThatEndsForWantOfAToolIsNotCalledBroken() throws Exception {
        var report = needing("no-such-tool", Map.of());

        assertThat(report.broken()).as(report.text()).isEmpty();
        assertThat(report.verdicts().get(Rule.START))
                .asString()
                .contains("it asked for no-such-tool, which is not on the PATH: name it by --tool");
        assertThat(report.text()).endsWith("raw: 0 kept, 0 broken, 10 not checked\n");
    }

    @ParameterizedTest
    @EnumSource(names = {"IDEMPOTENCY", "CANCELLATION", "CRASH"})
    void aToolThatIsNotThereDoesNotExcuseWhatHasNothingToDoWithIt(Rule rule) throws Exception {
        var report = of(RawPlugin.doingWithout("no-such-tool", rule), rule);

        assertThat(report.broken()).as(report.text()).containsExactly(rule);
    }

    @Test
    void aToolThatIsGivenIsTheOneItGets() throws Exception {
        var report = needing("no-such-tool", Map.of("no-such-tool", Path.of("/bin/sh")));

        assertThat(report.verdicts().get(Rule.START))
                .as(report.text())
                .isEqualTo(new Verdict.Kept());
    }

    private Report askingFor(String tool) throws Exception {
        return of(
                List.of(new Trial.Sample(RawPlugin.STAGE, "tool " + tool)),
                List.of(new Trial.Sample(RawPlugin.STAGE, "long")));
    }

    @Test
    void whatCannotBeLookedAtIsNotCalledKept() throws Exception {
        var report = of(List.of(), List.of());

        assertThat(report.broken()).isEmpty();
        assertThat(report.verdicts().get(Rule.CRASH))
                .isEqualTo(
                        new Verdict.NotChecked(
                                "tell a stage of [RAW] and its options by --stage and --long-stage"));
        assertThat(report.text()).endsWith("raw: 5 kept, 0 broken, 5 not checked\n");
    }
}
