// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import static dev.pipecd.config.read.Reading.application;
import static dev.pipecd.config.read.Reading.mistakes;
import static dev.pipecd.config.read.Reading.warnings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.config.ApplicationConfig.About;
import dev.pipecd.config.ApplicationConfig.Additions;
import dev.pipecd.config.ApplicationConfig.Attachment;
import dev.pipecd.config.ApplicationConfig.ChainLink;
import dev.pipecd.config.ApplicationConfig.CommitMatcher;
import dev.pipecd.config.ApplicationConfig.Encryption;
import dev.pipecd.config.ApplicationConfig.EventUpdate;
import dev.pipecd.config.ApplicationConfig.EventWatch;
import dev.pipecd.config.ApplicationConfig.Kind;
import dev.pipecd.config.ApplicationConfig.Mention;
import dev.pipecd.config.ApplicationConfig.OnChain;
import dev.pipecd.config.ApplicationConfig.OnCommand;
import dev.pipecd.config.ApplicationConfig.OnCommit;
import dev.pipecd.config.ApplicationConfig.OnOutOfSync;
import dev.pipecd.config.ApplicationConfig.Planner;
import dev.pipecd.config.ApplicationConfig.Replacement;
import dev.pipecd.config.ApplicationConfig.SkipOn;
import dev.pipecd.config.ApplicationConfig.Source;
import dev.pipecd.config.ApplicationConfig.Trigger;
import dev.pipecd.config.ConfigException;
import dev.pipecd.domain.Problem;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ApplicationDocumentTest {
    static final String FULL =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: Application
            spec:
              name: site
              description: A page
              labels: {team: web}
              planner:
                alwaysUsePipeline: true
                autoRollback: false
                newestOnly: true
              commitMatcher:
                pipeline: ^feat
                quickSync: ^docs
              pipeline:
                stages:
                  - name: SCRIPT_RUN
                    desc: check
                    timeout: 10m
                    with: {run: "test -f index.html", env: {A: "1"}, depth: 3}
                    skipOn: {commitMessagePrefixes: [docs], paths: [README.md]}
                  - name: WAIT
              trigger:
                onCommit: {disabled: true, paths: [a], ignores: [b], ignoresByCommit: true}
                onCommand: {disabled: true}
                onOutOfSync: {disabled: false, minWindow: 1h}
                onChain: {disabled: false}
              postSync:
                chain:
                  applications: [{name: next, kind: KUBERNETES, labels: {a: b}}]
              timeout: 30m
              encryption: {encryptedSecrets: {password: AAAA}, decryptionTargets: [secret.yaml]}
              attachment: {sources: {config: config.yaml}, targets: [task.yaml]}
              notification:
                mentions: [{event: DEPLOYMENT_FAILED, slackUsers: [U1], slackGroups: [G1], slack: [U0], email: [a@b.c]}]
              eventWatcher:
                - matcher: {name: image, labels: {app: site}}
                  handler:
                    type: GIT_UPDATE
                    config:
                      commitMessage: update
                      makePullRequest: true
                      replacements: [{file: a.yaml, yamlField: $.a, jsonField: b, HCLField: c, regex: d}]
              driftDetection: {ignoreFields: ["v1:ConfigMap:ns:name#data.x"]}
              source: {paths: [charts/common, "."], references: false}
              plugins:
                script:
                hosts: {input: {path: /srv}}
            """;

    @Test
    void everyFieldIsRead() {
        var loaded = application(FULL);
        var app = loaded.value();

        assertThat(loaded.warnings())
                .singleElement()
                .asString()
                .endsWith(
                        "replacements[0].HCLField: refused when the event comes (expected: yamlField, jsonField or regex)");
        assertThat(app.about())
                .isEqualTo(
                        new About(Kind.APPLICATION, "", "site", "A page", Map.of("team", "web")));
        assertThat(app.planner())
                .isEqualTo(new Planner(true, false, true, new CommitMatcher("^feat", "^docs")));
        assertThat(app.stages()).hasSize(2);
        var first = app.stages().getFirst();
        assertThat(first.name()).isEqualTo("SCRIPT_RUN");
        assertThat(first.desc()).isEqualTo("check");
        assertThat(first.timeout()).isEqualTo(Duration.ofMinutes(10));
        assertThat(first.with())
                .hasToString("{\"run\":\"test -f index.html\",\"env\":{\"A\":\"1\"},\"depth\":3}");
        assertThat(first.skipOn()).isEqualTo(new SkipOn(List.of("docs"), List.of("README.md")));
        assertThat(app.trigger())
                .isEqualTo(
                        new Trigger(
                                new OnCommit(true, List.of("a"), List.of("b"), true),
                                new OnCommand(true),
                                new OnOutOfSync(false, Duration.ofHours(1)),
                                new OnChain(false)));
        assertThat(app.timeout()).isEqualTo(Duration.ofMinutes(30));
        assertThat(app.plugins().keySet()).containsExactly("script", "hosts");
        assertThat(app.plugins().values())
                .extracting(Object::toString)
                .containsExactly("null", "{\"input\":{\"path\":\"/srv\"}}");
        assertThat(app.additions())
                .isEqualTo(
                        new Additions(
                                List.of(new ChainLink("next", "KUBERNETES", Map.of("a", "b"))),
                                new Encryption(Map.of("password", "AAAA"), List.of("secret.yaml")),
                                new Attachment(
                                        Map.of("config", "config.yaml"), List.of("task.yaml")),
                                List.of(
                                        new Mention(
                                                "DEPLOYMENT_FAILED",
                                                List.of("U0", "U1"),
                                                List.of("G1"))),
                                List.of(
                                        new EventWatch(
                                                "image",
                                                Map.of("app", "site"),
                                                "GIT_UPDATE",
                                                new EventUpdate(
                                                        "update",
                                                        true,
                                                        List.of(
                                                                new Replacement(
                                                                        "a.yaml", "$.a", "b", "c",
                                                                        "d"))))),
                                List.of("v1:ConfigMap:ns:name#data.x"),
                                new Source(List.of("charts/common", "."), false)));
    }

    @Test
    void whatIsNotWrittenHasItsDefault() {
        var app =
                application(
                                "apiVersion: pipecd.dev/v1beta1\nkind: Application\nspec: {pipeline: {stages: [{name: WAIT}]}}\n")
                        .value();

        assertThat(app.about()).isEqualTo(new About(Kind.APPLICATION, "", "", "", Map.of()));
        assertThat(app.planner())
                .isEqualTo(new Planner(false, true, false, new CommitMatcher("", "")));
        assertThat(app.stages().getFirst().timeout()).isEqualTo(Duration.ofHours(6));
        assertThat(app.stages().getFirst().with()).isEmpty();
        assertThat(app.stages().getFirst().skipOn()).isEqualTo(new SkipOn(List.of(), List.of()));
        assertThat(app.trigger())
                .isEqualTo(
                        new Trigger(
                                new OnCommit(false, List.of(), List.of(), false),
                                new OnCommand(false),
                                new OnOutOfSync(true, Duration.ofMinutes(5)),
                                new OnChain(true)));
        assertThat(app.timeout()).isEqualTo(Duration.ofHours(6));
        assertThat(app.plugins()).isEmpty();
        assertThat(app.additions())
                .isEqualTo(
                        new Additions(
                                List.of(),
                                new Encryption(Map.of(), List.of()),
                                new Attachment(Map.of(), List.of()),
                                List.of(),
                                List.of(),
                                List.of(),
                                new Source(List.of(), true)));
    }

    @Test
    void aPathThatLeavesTheRepositoryIsAMistake() {
        assertThat(
                        mistakes(() ->
                                application(withSpec("source: {paths: [/etc, a/../../b, a..b]}"))))
                .containsExactly(
                        "app.pipecd.yaml:3:25: spec.source.paths[0]: \"/etc\" (expected: a path from the repository's root, without `..`)",
                        "app.pipecd.yaml:3:31: spec.source.paths[1]: \"a/../../b\" (expected: a path from the repository's root, without `..`)");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void theOldKindsAreReadAlike(Kind kind) {
        var app =
                application(
                                "apiVersion: pipecd.dev/v1beta1\nkind: "
                                        + kind.written()
                                        + "\nspec: {name: a}\n")
                        .value();

        assertThat(app.about().kind()).isEqualTo(kind);
        assertThat(app.name()).isEqualTo("a");
    }

    @Test
    void whatThePublicSystemIgnoresIsWarnedOf() {
        var loaded =
                application(
                        """
                        apiVersion: pipecd.dev/v1beta1
                        kind: Application
                        other: {}
                        spec:
                          nam: site
                          input: {autoRollback: false}
                          pipeline:
                            stages:
                              - id: one
                                name: WAIT
                                timeot: 5m
                                with: {whatever: 1}
                        """);

        assertThat(warnings(loaded))
                .containsExactly(
                        "app.pipecd.yaml:3:1: other: other (ignored: not a known key)",
                        "app.pipecd.yaml:5:3: spec.nam: nam (ignored: not a known key; did you mean \"name\"?)",
                        "app.pipecd.yaml:6:3: spec.input: input (ignored: of the old form; it belongs under spec.plugins.NAME)",
                        "app.pipecd.yaml:9:9: spec.pipeline.stages[0].id: id (ignored: stages are numbered by their order)",
                        "app.pipecd.yaml:11:9: spec.pipeline.stages[0].timeot: timeot (ignored: not a known key; did you mean \"timeout\"?)");
    }

    @Test
    void allMistakesAreToldAtOnceEachWithItsPlace() {
        assertThatThrownBy(() ->
                        application(
                                """
                                apiVersion: pipecd.dev/v1beta1
                                kind: Application
                                spec:
                                  name: 123
                                  labels: [a]
                                  timeout: 5x
                                  planner: {autoRollback: "true"}
                                  pipeline:
                                    stages:
                                      - desc: nameless
                                        with: text
                                      - just text
                                      - name: WAIT
                                        timeout: -5s
                                  trigger:
                                    onCommit: {paths: a}
                                    onOutOfSync: {minWindow: {}}
                                """))
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        """
                        app.pipecd.yaml:4:9: spec.name: 123 (expected: text; put it in quotes)
                        app.pipecd.yaml:5:11: spec.labels: a list (expected: an object)
                        app.pipecd.yaml:6:12: spec.timeout: "5x" (expected: a duration such as 1m30s or 500ms, not negative)
                        app.pipecd.yaml:7:27: spec.planner.autoRollback: "true" (expected: true or false)
                        app.pipecd.yaml:10:9: spec.pipeline.stages[0].name: missing (expected: text)
                        app.pipecd.yaml:11:15: spec.pipeline.stages[0].with: "text" (expected: an object)
                        app.pipecd.yaml:12:9: spec.pipeline.stages[1]: "just text" (expected: an object)
                        app.pipecd.yaml:14:18: spec.pipeline.stages[2].timeout: "-5s" (expected: a duration such as 1m30s or 500ms, not negative)
                        app.pipecd.yaml:16:23: spec.trigger.onCommit.paths: "a" (expected: a list)
                        app.pipecd.yaml:17:30: spec.trigger.onOutOfSync.minWindow: an object (expected: a duration such as 1m30s or 500ms, not negative)\
                        """);
    }

    @Test
    void mistakesCanBeToldAsAProblem() {
        assertThatThrownBy(() -> application("kind: Application\n"))
                .isInstanceOfSatisfying(
                        ConfigException.class,
                        refused -> {
                            assertThat(refused.problem().code())
                                    .isEqualTo(Problem.Code.CONFIG_INVALID);
                            assertThat(refused.problem().told())
                                    .isEqualTo(
                                            "app.pipecd.yaml:1:1: apiVersion: missing (expected: pipecd.dev/v1beta1). Correct the lines named and try again.");
                        });
    }

    @Test
    void whatThePublicSystemRefusesIsRefused() {
        assertThat(
                        mistakes(() ->
                                application(
                                        """
                                        apiVersion: pipecd.dev/v1beta1
                                        kind: Application
                                        spec:
                                          postSync: {chain: {applications: []}}
                                          encryption: {encryptedSecrets: {a: ""}}
                                          attachment: {sources: {a: }, targets: []}
                                          notification: {mentions: [{event: DEPLOYMENT_FALED}]}
                                          driftDetection: {ignoreFields: [a, b#c, d#e#f]}
                                        """)))
                .containsExactly(
                        "app.pipecd.yaml:4:36: spec.postSync.chain.applications: empty (expected: at least one application)",
                        "app.pipecd.yaml:5:15: spec.encryption.decryptionTargets: empty (expected: at least one path)",
                        "app.pipecd.yaml:5:38: spec.encryption.encryptedSecrets.a: empty name or value (expected: neither empty)",
                        "app.pipecd.yaml:6:28: spec.attachment.sources.a: empty name or value (expected: neither empty)",
                        "app.pipecd.yaml:6:41: spec.attachment.targets: empty (expected: at least one path)",
                        "app.pipecd.yaml:7:37: spec.notification.mentions[0].event: \"DEPLOYMENT_FALED\" (expected: one of *, APPLICATION_HEALTHY, APPLICATION_OUT_OF_SYNC, APPLICATION_SYNCED, DEPLOYMENT_APPROVED, DEPLOYMENT_CANCELLED, DEPLOYMENT_FAILED, DEPLOYMENT_PLANNED, DEPLOYMENT_ROLLING_BACK, DEPLOYMENT_STARTED, DEPLOYMENT_SUCCEEDED, DEPLOYMENT_TRIGGERED, DEPLOYMENT_TRIGGER_FAILED, DEPLOYMENT_WAIT_APPROVAL, PIPED_STARTED, PIPED_STOPPED, STAGE_CANCELLED, STAGE_FAILED, STAGE_SKIPPED, STAGE_STARTED, STAGE_SUCCEEDED; did you mean \"DEPLOYMENT_FAILED\"?)",
                        "app.pipecd.yaml:8:35: spec.driftDetection.ignoreFields[0]: \"a\" (expected: apiVersion:kind:namespace:name#fieldPath)",
                        "app.pipecd.yaml:8:43: spec.driftDetection.ignoreFields[2]: \"d#e#f\" (expected: apiVersion:kind:namespace:name#fieldPath)");
    }

    @Test
    void anApplicationInAChainNeedsSomethingToBeFoundBy() {
        assertThat(mistakes(() -> application(withSpec("postSync: {chain: {applications: [{}]}}"))))
                .containsExactly(
                        "app.pipecd.yaml:3:42: spec.postSync.chain.applications[0]: empty (expected: name, kind or labels)");
    }

    @Test
    void aKindNobodyCanFollowInAChainIsRefused() {
        assertThat(
                        mistakes(() ->
                                application(
                                        withSpec(
                                                "postSync: {chain: {applications: [{name: a, kind: KUBERNETE}]}}"))))
                .containsExactly(
                        "app.pipecd.yaml:3:58: spec.postSync.chain.applications[0].kind: \"KUBERNETE\" (expected: one of KUBERNETES, TERRAFORM, LAMBDA, CLOUDRUN, ECS; did you mean \"KUBERNETES\"?)");
    }

    @Test
    void aCommitMatcherThatIsNoPatternIsIgnoredAndSaidSo() {
        var loaded = application(withSpec("commitMatcher: {pipeline: '(?=x)', quickSync: ^docs}"));

        assertThat(warnings(loaded))
                .containsExactly(
                        "app.pipecd.yaml:3:34: spec.commitMatcher.pipeline: \"(?=x)\" (ignored: not a pattern of RE2: invalid or unsupported Perl syntax)");
        assertThat(loaded.value().planner().commitMatcher())
                .isEqualTo(new CommitMatcher("", "^docs"));
    }

    @Test
    void aBareNumberIsNanosecondsAndSurelyNotMeantSo() {
        var loaded = application(withSpec("timeout: 30"));

        assertThat(loaded.value().timeout()).isEqualTo(Duration.ofNanos(30));
        assertThat(warnings(loaded))
                .containsExactly(
                        "app.pipecd.yaml:3:17: spec.timeout: 30 (taken as nanoseconds; did you mean \"30s\"?)");
        assertThat(application(withSpec("timeout: 60000000000")).value().timeout())
                .isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void aNumberThatIsNoWholeOneIsNoDuration() {
        assertThat(mistakes(() -> application(withSpec("timeout: 3.7")))).hasSize(1);
        assertThat(mistakes(() -> application(withSpec("timeout: 99999999999999999999"))))
                .hasSize(1);
        assertThat(mistakes(() -> application(withSpec("timeout: true")))).hasSize(1);
    }

    @Test
    void keysAreKnownInAnyCase() {
        assertThat(
                        application(withSpec("NAME: a, Pipeline: {STAGES: [{nAmE: WAIT}]}"))
                                .value()
                                .stages())
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"app.pipecd.yaml", "site.pipecd.yaml", ".pipecd.yaml", ".pipe.yaml"})
    void theseFilesAreApplications(String name) {
        assertThat(ApplicationConfig.isFileName(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"pipecd.yaml", "app.pipecd.yml", "app.pipe.yaml", "app.pipecd.yaml.bak", ""})
    void theseFilesAreNot(String name) {
        assertThat(ApplicationConfig.isFileName(name)).isFalse();
    }

    private static String withSpec(String spec) {
        return "apiVersion: pipecd.dev/v1beta1\nkind: Application\nspec: {" + spec + "}\n";
    }
}
