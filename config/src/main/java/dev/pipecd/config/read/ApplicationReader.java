// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.config.ApplicationConfig.About;
import dev.pipecd.config.ApplicationConfig.Additions;
import dev.pipecd.config.ApplicationConfig.CommitMatcher;
import dev.pipecd.config.ApplicationConfig.Kind;
import dev.pipecd.config.ApplicationConfig.OnChain;
import dev.pipecd.config.ApplicationConfig.OnCommand;
import dev.pipecd.config.ApplicationConfig.OnCommit;
import dev.pipecd.config.ApplicationConfig.OnOutOfSync;
import dev.pipecd.config.ApplicationConfig.Planner;
import dev.pipecd.config.ApplicationConfig.SkipOn;
import dev.pipecd.config.ApplicationConfig.Stage;
import dev.pipecd.config.ApplicationConfig.Trigger;
import dev.pipecd.config.PlatformNames;
import dev.pipecd.config.StageOptions;
import dev.pipecd.config.read.Fields.Rules;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;

/// The `spec` of an Application document.
final class ApplicationReader {
    private static final Duration SIX_HOURS = Duration.ofHours(6);
    private static final SkipOn NEVER = new SkipOn(List.of(), List.of());
    private static final String KIND = "kind";

    /// Whose deadline and skipping stood among their options once.
    private static final Set<String> OLD_STAGES =
            Set.of("WAIT", "WAIT_APPROVAL", "SCRIPT_RUN", "ANALYSIS", "CUSTOM_SYNC");

    private ApplicationReader() {}

    @Keys(
            """
            timeout | | | The deployment's deadline; a rollback has the same time once more.
            plugins | object by plugin name | | Which plugins serve this application, and what they are told. Where several offer a stage, deploy targets choose first, then the names here, then the platform.
            """)
    static ApplicationConfig read(String kind, Fields envelope, Fields spec) {
        return read(kind, envelope, spec, (_, _, _) -> {});
    }

    /// Looks at the options of known stages too, which otherwise the stage does while planning.
    static ApplicationConfig readWithOptions(String kind, Fields envelope, Fields spec) {
        return read(kind, envelope, spec, ApplicationReader::lookAtOptions);
    }

    private interface OptionsCheck {
        void look(String stage, Field with, ObjectNode options);
    }

    private static ApplicationConfig read(
            String kind, Fields envelope, Fields spec, OptionsCheck check) {
        var old = new OldApplicationReader(kind(kind), spec);
        return new ApplicationConfig(
                about(kind(kind), envelope, spec),
                planner(spec, old.autoRollback()),
                spec.at("pipeline")
                        .section(pipeline ->
                                pipeline.at("stages")
                                        .each(stage -> stage(kind(kind), stage, check))),
                spec.at("trigger").section(ApplicationReader::trigger),
                spec.at("timeout").duration(SIX_HOURS),
                old.plugins(spec.at("plugins").jsonByName()),
                additions(spec));
    }

    /// The label `kind` of the metadata tells the platform, as the plugin architecture's first
    /// document wants it.
    @Keys(
            """
            name, description | | | Told to the control plane when they change.
            labels | | | By which it is found, and chosen by chains and notifications.
            metadata.labels | | | Beside `spec`: labels too. Its label `kind` (`KUBERNETES`, `TERRAFORM`, …, or the name of a plugin) tells the platform: without a pipeline and `plugins` it alone chooses the plugin. The old kinds tell it by themselves.
            """)
    private static About about(Kind kind, Fields envelope, Fields spec) {
        var name = spec.at("name").text();
        var description = spec.at("description").text();
        var known = kind.platform();
        var metadata =
                envelope.at("metadata")
                        .section(fields ->
                                fields.at("labels")
                                        .pairs((spot, label, text) -> {
                                            if (label.equals(KIND)
                                                    && !known.isEmpty()
                                                    && !PlatformNames.plain(text).equals(known))
                                                spot.warn(
                                                        "%s (ignored: kind %s tells the platform)"
                                                                .formatted(
                                                                        Telling.quoted(text),
                                                                        kind.written()));
                                        }));
        var labels = new LinkedHashMap<>(metadata);
        labels.putAll(spec.at("labels").pairs());
        var labelled = PlatformNames.plain(metadata.getOrDefault(KIND, ""));
        return new About(kind, known.isEmpty() ? labelled : known, name, description, labels);
    }

    private static Kind kind(String written) {
        return Arrays.stream(Kind.values())
                .filter(kind -> kind.written().equals(written))
                .findFirst()
                .orElseThrow();
    }

    @Keys(
            """
            planner.alwaysUsePipeline | | | Never a quick sync.
            planner.autoRollback | | `true`; of an old kind: `input.autoRollback`, else `true`, and `false` for `TerraformApp` | Roll back when a stage fails or a cancel leaves it open.
            planner.newestOnly | | | A new deployment gives up those that still [wait](../guides/deployments.md#in-which-order). Ours.
            commitMatcher.pipeline, quickSync | pattern (RE2) | | Chooses by the first line of the commit message: [how it is planned](../guides/deployments.md#how-it-is-planned). One that is no pattern is ignored with a warning.
            """)
    private static Planner planner(Fields spec, boolean autoRollback) {
        var matcher =
                spec.at("commitMatcher")
                        .section(fields ->
                                new CommitMatcher(
                                        pattern(fields.at("pipeline")),
                                        pattern(fields.at("quickSync"))));
        return spec.at("planner")
                .section(fields ->
                        new Planner(
                                fields.at("alwaysUsePipeline").flag(false),
                                fields.at("autoRollback").flag(autoRollback),
                                fields.at("newestOnly").flag(false),
                                matcher));
    }

    /// One that is none has no effect in the public system.
    private static String pattern(Field field) {
        var written = field.text();
        try {
            Pattern.compile(written);
            return written;
        } catch (PatternSyntaxException e) {
            field.warn(
                    "%s (ignored: not a pattern of RE2: %s)"
                            .formatted(Telling.quoted(written), e.getDescription()));
            return "";
        }
    }

    @Keys(
            """
            pipeline.stages[].name | | | A stage some plugin offers: [stages](../guides/stages.md).
            pipeline.stages[].desc | | | Shown.
            pipeline.stages[].timeout | | `with.timeout` of WAIT, WAIT_APPROVAL, SCRIPT_RUN, ANALYSIS and CUSTOM_SYNC; else `6h` | The stage's deadline, and that of the stage which undoes it.
            pipeline.stages[].with | | | The stage's options; checked while planning.
            pipeline.stages[].id | | | Accepted with a warning, ignored.
            """)
    private static Stage stage(Kind kind, Fields stage, OptionsCheck check) {
        stage.outdated("id", "stages are numbered by their order");
        var name = stage.at("name").required();
        var with = stage.at("with");
        var options = with.object();
        if (name.equals("CUSTOM_SYNC"))
            stage.at("name").warn("\"CUSTOM_SYNC\" (outdated: write SCRIPT_RUN with onRollback)");
        var deadline = SIX_HOURS;
        var skipOn = NEVER;
        if (OLD_STAGES.contains(name) && !options.isEmpty()) {
            var among = with.section(ApplicationReader::amongOptions);
            deadline = among.timeout();
            skipOn = among.skipOn();
            options.properties()
                    .removeIf(option ->
                            option.getKey().equalsIgnoreCase("timeout")
                                    || option.getKey().equalsIgnoreCase("skipOn"));
        }
        if (kind != Kind.APPLICATION) OldApplicationReader.addDefaults(name, options);
        check.look(name, with, options);
        var skip = stage.at("skipOn");
        return new Stage(
                name,
                stage.at("desc").text(),
                stage.at("timeout").duration(deadline),
                options,
                skip.isWritten() ? skip.section(ApplicationReader::skipOn) : skipOn);
    }

    private static void lookAtOptions(String stage, Field with, ObjectNode options) {
        StageOptions.of(stage)
                .ifPresent(known ->
                        with.section(Rules.STRICT, fields -> lookAt(known, fields, options)));
    }

    private static StageOptions lookAt(StageOptions known, Fields with, ObjectNode options) {
        known.required()
                .forEach((name, form) -> {
                    lookAt(with.at(name), form);
                    if (form == StageOptions.Form.TEXT) with.at(name).requireText(form.expected());
                    else if (OldApplicationReader.lacks(options, name))
                        with.at(name).mistake("missing (expected: %s)".formatted(form.expected()));
                });
        known.optional().forEach((name, form) -> lookAt(with.at(name), form));
        // They are the agent's, and were looked at as such.
        with.at("timeout");
        with.at("skipOn");
        return known;
    }

    private static void lookAt(Field option, StageOptions.Form form) {
        switch (form) {
            case TEXT -> option.text();
            case TEXTS -> option.texts();
            case PAIRS -> option.pairs();
            case COUNT -> option.count(1, 1, Integer.MAX_VALUE);
            case DURATION -> option.duration(Duration.ZERO);
        }
    }

    /// What is not the stage's business but stood in its `with` once.
    @Keys(
            """
            pipeline.stages[].with.timeout | | | Of WAIT, WAIT_APPROVAL, SCRIPT_RUN, ANALYSIS and CUSTOM_SYNC: where `timeout` stood once.
            """)
    private static AmongOptions amongOptions(Fields with) {
        var read =
                new AmongOptions(
                        with.at("timeout").duration(SIX_HOURS),
                        with.at("skipOn").section(ApplicationReader::skipOn));
        with.skip();
        return read;
    }

    private record AmongOptions(Duration timeout, SkipOn skipOn) {}

    @Keys(
            """
            pipeline.stages[].skipOn.commitMessagePrefixes, paths | | `with.skipOn` of the same stages | When the stage is left out: [skipping](../guides/stages.md#skipping).
            pipeline.stages[].with.skipOn.commitMessagePrefixes, paths | | | Of the same stages: where `skipOn` stood once.
            """)
    private static SkipOn skipOn(Fields skip) {
        return new SkipOn(skip.at("commitMessagePrefixes").texts(), skip.at("paths").texts());
    }

    @Keys(
            """
            trigger.onCommit.disabled | | | Commits do not deploy it.
            trigger.onCommit.paths, ignores | patterns | | [Which files count](../guides/deployments.md#when) besides the application's folder, or do not.
            trigger.onCommit.ignoresByCommit | | | The public rule: one ignored file, and the whole commit does not count. Ours.
            trigger.onCommand.disabled | | | No sync can be ordered.
            trigger.onOutOfSync.disabled, minWindow | | | It is not deployed for being out of sync; if it is, this long after its last deployment at the earliest.
            trigger.onChain.disabled | | | [Chains](../guides/deployments.md#in-which-order) do not deploy it.
            """)
    private static Trigger trigger(Fields trigger) {
        return new Trigger(
                trigger.at("onCommit")
                        .section(on ->
                                new OnCommit(
                                        on.at("disabled").flag(false),
                                        on.at("paths").texts(),
                                        on.at("ignores").texts(),
                                        on.at("ignoresByCommit").flag(false))),
                trigger.at("onCommand").section(on -> new OnCommand(on.at("disabled").flag(false))),
                trigger.at("onOutOfSync")
                        .section(on ->
                                new OnOutOfSync(
                                        on.at("disabled").flag(true),
                                        on.at("minWindow").duration(Duration.ofMinutes(5)))),
                trigger.at("onChain").section(on -> new OnChain(on.at("disabled").flag(true))));
    }

    private static Additions additions(Fields spec) {
        return new Additions(
                AdditionsReader.postSyncChain(spec.at("postSync")),
                AdditionsReader.encryption(spec.at("encryption")),
                AdditionsReader.attachment(spec.at("attachment")),
                spec.at("notification").section(AdditionsReader::mentions),
                spec.at("eventWatcher").each(AdditionsReader::eventWatch),
                spec.at("driftDetection").section(AdditionsReader::driftIgnoreFields),
                spec.at("source").section(AdditionsReader::source));
    }
}
