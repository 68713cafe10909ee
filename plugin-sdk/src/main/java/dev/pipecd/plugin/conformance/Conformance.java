// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.conformance;

import dev.pipecd.plugin.testkit.FakeAgent;
import dev.pipecd.wire.plugin.deployment.FetchDefinedStagesRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/// Takes a plugin through every rule and writes the report. A rule that cannot be looked at is said
/// to be so: it is not kept.
public final class Conformance implements AutoCloseable {
    private static final int LARGE = 3 << 20;
    private static final int TOO_LARGE = 5 << 20;

    private final Launcher launcher;
    private final Trial trial;
    private final Limits limits;
    private final Requests requests;
    private final FakeAgent agent;
    private final Deeds deeds;
    private final Deeds crashDeeds;
    private final int port;
    private final List<String> arguments;
    private final Map<Rule, Verdict> verdicts = new EnumMap<>(Rule.class);
    private Subject subject;
    private List<String> offered = List.of();

    private Conformance(Launcher launcher, Trial trial, Limits limits) throws IOException {
        this.launcher = launcher;
        this.trial = trial;
        this.limits = limits;
        // As the public agent: what every plugin must get along with.
        this.agent = FakeAgent.open("");
        trial.tools().forEach(agent::tool);
        this.deeds = Deeds.open();
        // Of its own: what an earlier stage does late is none of its deeds.
        this.crashDeeds = Deeds.open();
        this.port = Subject.freePort();
        this.requests = new Requests(trial, "conformance-" + port);
        this.arguments = Subject.arguments(trial, agent, port, false);
        this.subject = start();
    }

    public static Report of(Launcher launcher, Trial trial, Limits limits)
            throws IOException, InterruptedException {
        try (var run = new Conformance(launcher, trial, limits)) {
            return run.report();
        }
    }

    private Subject start() throws IOException {
        return Subject.start(launcher, arguments, port, limits);
    }

    private Report report() throws IOException, InterruptedException {
        check(Rule.START, this::begin);
        if (!(verdicts.get(Rule.START) instanceof Verdict.Kept)) {
            for (var rule : Rule.values())
                verdicts.putIfAbsent(rule, new Verdict.NotChecked("it does not start"));
            return new Report(trial.plugin(), verdicts);
        }
        var quick = trial.quick(offered, deeds);
        check(Rule.PROTOCOL, () -> new Protocol(subject, requests, limits, offered).check(quick));
        sampled(Rule.STAGE, quick, sample -> stages().ends(sample));
        sampled(Rule.IDEMPOTENCY, quick, sample -> stages().sameAgain(sample));
        var lasting = trial.lasting(offered, deeds);
        sampled(Rule.DEADLINE, lasting, sample -> stages().answersMeanwhile(sample));
        sampled(Rule.CANCELLATION, lasting, sample -> stages().stopsWhenCancelled(sample));
        sampled(Rule.CRASH, trial.lasting(offered, crashDeeds), this::crash);
        check(Rule.BIG_PAYLOAD, this::bigPayload);
        check(Rule.UNKNOWN_FIELDS, this::unknownFields);
        check(Rule.END, this::end);
        return new Report(trial.plugin(), verdicts);
    }

    private void begin() throws InterruptedException {
        try {
            offered = subject.awaitReady();
        } catch (Breach e) {
            throw new Breach(e.how(), agent.heard().toolsMissing());
        }
    }

    private StageRules stages() {
        return stages(deeds);
    }

    private StageRules stages(Deeds left) {
        return new StageRules(subject, requests, agent.heard(), left, limits);
    }

    private interface Look {
        void look() throws IOException, InterruptedException;
    }

    private interface SampleLook {
        void look(Trial.Sample sample) throws IOException, InterruptedException;
    }

    private void check(Rule rule, Look look) throws IOException, InterruptedException {
        // It did not start again after an earlier rule.
        if (verdicts.containsKey(rule)) return;
        verdicts.put(rule, verdict(look));
        if (rule != Rule.START && rule != Rule.END && !subject.program().alive()) restart(rule);
    }

    private static Verdict verdict(Look look) throws IOException, InterruptedException {
        try {
            look.look();
            return new Verdict.Kept();
        } catch (Breach e) {
            return e.wanting().isEmpty() ? new Verdict.Broken(e.how()) : excused(e);
        } catch (StatusRuntimeException e) {
            return new Verdict.Broken("a call ended with " + e.getStatus());
        }
    }

    /// What gives up because this machine lacks a tool tells nothing about the plugin.
    private static Verdict excused(Breach breach) {
        return new Verdict.NotChecked(
                "it asked for %s, which is not on the PATH: name it by --tool (%s)"
                        .formatted(
                                String.join(", ", new TreeSet<>(breach.wanting())), breach.how()));
    }

    /// What killed the plugin is told at its own rule; the others get a living one, or are said to
    /// be open.
    private void restart(Rule rule) throws IOException, InterruptedException {
        if (!(verdicts.get(rule) instanceof Verdict.NotChecked))
            verdicts.put(rule, new Verdict.Broken("the plugin ended: " + subject.program().told()));
        subject.close();
        subject = start();
        if (verdict(() -> subject.awaitReady()) instanceof Verdict.Broken(var how)) leaveOpen(how);
    }

    private void leaveOpen(String how) {
        for (var rule : Rule.values())
            verdicts.putIfAbsent(rule, new Verdict.NotChecked("it does not start again: " + how));
    }

    private void sampled(Rule rule, Optional<Trial.Sample> sample, SampleLook look)
            throws IOException, InterruptedException {
        if (sample.isPresent()) check(rule, () -> look.look(sample.get()));
        else
            verdicts.putIfAbsent(
                    rule,
                    new Verdict.NotChecked(
                            "tell a stage of "
                                    + offered
                                    + " and its options by --stage and --long-stage"));
    }

    private void crash(Trial.Sample sample) throws IOException, InterruptedException {
        try (var stage = stages(crashDeeds).running("crashed", sample)) {
            // Otherwise it would be left to chance whether the kill comes before its work.
            if (crashDeeds.of(sample))
                Breach.within(limits.start(), () -> stage.over() || crashDeeds.count() > 0);
            subject.close();
            Breach.unless(
                    subject.program().awaitEnd(limits.end()), "kill -9 did not end the process");
        }
        subject = start();
        if (verdict(() -> subject.awaitReady()) instanceof Verdict.Broken(var how)) {
            // One that lives and does not answer would break every rule to come.
            if (subject.program().alive()) leaveOpen(how);
            throw new Breach(how);
        }
        stages(crashDeeds).carriesOn(sample);
    }

    private void bigPayload() {
        var small = versions("small");
        var large = versions("x".repeat(LARGE));
        Breach.unless(
                small == large,
                "DetermineVersions with 3 MiB: %s (expected: %s)".formatted(large, small));
        versions("x".repeat(TOO_LARGE));
        var after = Subject.code(subject::stages);
        Breach.unless(
                after == Status.Code.OK,
                "FetchDefinedStages after 5 MiB: " + after + " (expected: an answer)");
    }

    private Status.Code versions(String summary) {
        return Subject.code(() -> subject.calls().determineVersions(requests.versions(summary)));
    }

    private void unknownFields() throws IOException, InterruptedException {
        var future = Requests.future();
        var stages = FetchDefinedStagesRequest.newBuilder().setUnknownFields(future).build();
        accepted(
                "FetchDefinedStages",
                Status.Code.OK,
                Subject.code(() -> subject.calls().fetchDefinedStages(stages)));
        var versions = requests.versions("small").toBuilder().setUnknownFields(future).build();
        accepted(
                "DetermineVersions",
                versions("small"),
                Subject.code(() -> subject.calls().determineVersions(versions)));
        var another = Subject.freePort();
        var more = Subject.arguments(trial, agent, another, true);
        try (var second = Subject.start(launcher, more, another, limits)) {
            second.awaitReady();
        }
    }

    private static void accepted(String call, Status.Code before, Status.Code after) {
        Breach.unless(
                before == after,
                "%s with a field of a newer agent: %s (expected: %s)"
                        .formatted(call, after, before));
    }

    private void end() throws InterruptedException {
        subject.program().terminate();
        Breach.unless(
                subject.program().awaitEnd(limits.end()),
                "it lives " + Subject.told(limits.end()) + " after SIGTERM (expected: its end)");
    }

    @Override
    public void close() throws IOException {
        subject.close();
        agent.close();
        deeds.close();
        crashDeeds.close();
    }
}
