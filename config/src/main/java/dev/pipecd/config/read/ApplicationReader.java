// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

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
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/// The `spec` of an Application document.
final class ApplicationReader {
    private static final Duration SIX_HOURS = Duration.ofHours(6);
    private static final List<String> OLD =
            List.of(
                    "input",
                    "quickSync",
                    "service",
                    "workloads",
                    "trafficRouting",
                    "variantLabel",
                    "resourceRoutes");

    private ApplicationReader() {}

    static ApplicationConfig read(String kind, Fields spec) {
        OLD.forEach(
                key -> spec.outdated(key, "of the old form; it belongs under spec.plugins.NAME"));
        return new ApplicationConfig(
                new About(
                        kind(kind),
                        spec.at("name").text(),
                        spec.at("description").text(),
                        spec.at("labels").pairs()),
                planner(spec),
                spec.at("pipeline")
                        .section(pipeline -> pipeline.at("stages").each(ApplicationReader::stage)),
                spec.at("trigger").section(ApplicationReader::trigger),
                spec.at("timeout").duration(SIX_HOURS),
                spec.at("plugins").jsonByName(),
                additions(spec));
    }

    private static Kind kind(String written) {
        return Arrays.stream(Kind.values())
                .filter(kind -> kind.written().equals(written))
                .findFirst()
                .orElseThrow();
    }

    private static Planner planner(Fields spec) {
        var matcher =
                spec.at("commitMatcher")
                        .section(fields ->
                                new CommitMatcher(
                                        fields.at("pipeline").text(),
                                        fields.at("quickSync").text()));
        return spec.at("planner")
                .section(fields ->
                        new Planner(
                                fields.at("alwaysUsePipeline").flag(false),
                                fields.at("autoRollback").flag(true),
                                matcher));
    }

    private static Stage stage(Fields stage) {
        stage.outdated("id", "stages are numbered by their order");
        return new Stage(
                stage.at("name").required(),
                stage.at("desc").text(),
                stage.at("timeout").duration(SIX_HOURS),
                stage.at("with").object(),
                stage.at("skipOn")
                        .section(skip ->
                                new SkipOn(
                                        skip.at("commitMessagePrefixes").texts(),
                                        skip.at("paths").texts())));
    }

    private static Trigger trigger(Fields trigger) {
        return new Trigger(
                trigger.at("onCommit")
                        .section(on ->
                                new OnCommit(
                                        on.at("disabled").flag(false),
                                        on.at("paths").texts(),
                                        on.at("ignores").texts())),
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
                spec.at("driftDetection").section(AdditionsReader::driftIgnoreFields));
    }
}
