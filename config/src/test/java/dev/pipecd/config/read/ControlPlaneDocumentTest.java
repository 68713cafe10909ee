// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import static dev.pipecd.config.read.Reading.controlPlane;
import static dev.pipecd.config.read.Reading.mistakes;
import static dev.pipecd.config.read.Reading.warnings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.pipecd.config.ConfigException;
import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.config.ControlPlaneConfig.ApplicationInsight;
import dev.pipecd.config.ControlPlaneConfig.DeploymentInsight;
import dev.pipecd.config.ControlPlaneConfig.InsightCollector;
import dev.pipecd.config.ControlPlaneConfig.Retention;
import dev.pipecd.config.Cron;
import dev.pipecd.config.Datastore;
import dev.pipecd.config.Filestore;
import dev.pipecd.config.SharedSso;
import dev.pipecd.config.SharedSso.Claims;
import dev.pipecd.config.SharedSso.Endpoints;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ControlPlaneDocumentTest {
    static final String FULL =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: ControlPlane
            spec:
              address: https://cd.example.com
              stateKey: state-key
              webhook: {secret: hook-secret}
              projectSSO: {addresses: PUBLIC}
              datastore:
                type: SQLITE
                config: {path: /var/lib/pipecd/db}
              filestore:
                type: LOCAL
                config: {path: /var/lib/pipecd/files}
              cache: {address: redis:6379, password: cache-secret, caFile: /etc/ca.pem}
              ops:
                owner: {username: owner, passwordHash: $2a$10$def}
                port: 9084
                lostAfter: 6h
                retention: {deployments: 8760h, stageLogs: 2160h, events: 720h, commands: 48h}
              insightCollector:
                application: {enabled: false, schedule: "1 * * * *"}
                deployment: {enabled: false, schedule: "2 * * * *", chunkMaxCount: 5}
              projects:
                - id: quickstart
                  desc: For trying
                  staticAdmin: {username: hello-pipecd, passwordHash: "$2a$10$abc"}
              sharedSSOConfigs:
                - name: hub
                  provider: GITHUB
                  sessionTtl: 24
                  github: {clientId: c1, clientSecret: s1, baseUrl: b, uploadUrl: u, proxyUrl: p}
                - name: open
                  provider: OIDC
                  oidc:
                    client_id: c2
                    client_secret: s2
                    issuer: i
                    redirect_uri: r
                    authorizationEndpoint: a
                    tokenEndpoint: t
                    user_info_endpoint: u
                    proxyUrl: p
                    scopes: [openid]
                    rolesClaimKey: roles
                    usernameClaimKey: name
                    avatarUrlClaimKey: avatar
            """;

    @Test
    void everyFieldIsRead() {
        var loaded = controlPlane(FULL);
        var config = loaded.value();

        assertThat(loaded.warnings()).isEmpty();
        assertThat(config.address()).isEqualTo("https://cd.example.com");
        assertThat(config.login().stateKey().reveal()).isEqualTo("state-key");
        assertThat(config.webhook().secret().reveal()).isEqualTo("hook-secret");
        assertThat(config.login().ownSso()).isEqualTo(ControlPlaneConfig.Reach.PUBLIC);
        assertThat(config.storage().datastore())
                .isEqualTo(new Datastore.Sqlite("/var/lib/pipecd/db"));
        assertThat(config.storage().filestore())
                .isEqualTo(new Filestore.Local("/var/lib/pipecd/files"));
        assertThat(config.storage().cache().address().reveal()).isEqualTo("redis:6379");
        assertThat(config.storage().cache().password().reveal()).isEqualTo("cache-secret");
        assertThat(config.storage().cache().caFile()).isEqualTo("/etc/ca.pem");
        assertThat(config.insightCollector())
                .isEqualTo(
                        new InsightCollector(
                                new ApplicationInsight(false, cron("1 * * * *")),
                                new DeploymentInsight(false, cron("2 * * * *"), 5)));
        var project = config.projects().getFirst();
        assertThat(project.id().value()).isEqualTo("quickstart");
        assertThat(project.desc()).isEqualTo("For trying");
        assertThat(project.staticAdmin().username()).isEqualTo("hello-pipecd");
        assertThat(project.staticAdmin().passwordHash().reveal()).isEqualTo("$2a$10$abc");
    }

    private static Cron cron(String text) {
        return Cron.parse(text).orElseThrow();
    }

    @Test
    void whatOpsIsToldIsRead() {
        var ops = controlPlane(FULL).value().ops();

        assertThat(ops.owner().username()).isEqualTo("owner");
        assertThat(ops.owner().passwordHash().reveal()).isEqualTo("$2a$10$def");
        assertThat(ops.port()).isEqualTo(9084);
        assertThat(ops.lostAfter()).isEqualTo(Duration.ofHours(6));
        assertThat(ops.retention())
                .isEqualTo(
                        new Retention(
                                Duration.ofHours(8760),
                                Duration.ofHours(2160),
                                Duration.ofHours(720),
                                Duration.ofHours(48)));
    }

    @Test
    void whatIsKeptOrWaitedForTooShortlyIsAMistake() {
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        withSpec("ops: {lostAfter: 5m, retention: {events: 1h}}"))))
                .containsExactly(
                        "cp.yaml:3:25: spec.ops.lostAfter: 5m0s (expected: at least 10m0s, or nothing)",
                        "cp.yaml:3:49: spec.ops.retention.events: 1h0m0s (expected: at least 48h0m0s, or nothing)");
    }

    @Test
    void aScheduleThatIsNoneIsAMistake() {
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        withSpec(
                                                "insightCollector: {application: {schedule: hourly}}"))))
                .containsExactly(
                        "cp.yaml:3:51: spec.insightCollector.application.schedule: \"hourly\" (expected: cron with five fields, such as \"0 * * * *\", or @every and a duration)");
    }

    @Test
    void loginFromElsewhereIsRead() {
        var sso = controlPlane(FULL).value().login().sharedSso();

        assertThat(sso).extracting(SharedSso::name).containsExactly("hub", "open");
        assertThat(sso)
                .extracting(SharedSso::sessionTtl)
                .containsExactly(Duration.ofHours(24), Duration.ofDays(7));
        assertThat(sso.getFirst().provider())
                .isInstanceOfSatisfying(
                        SharedSso.GitHub.class,
                        github -> {
                            assertThat(github.client().id().reveal()).isEqualTo("c1");
                            assertThat(github.client().secret().reveal()).isEqualTo("s1");
                            assertThat(
                                            List.of(
                                                    github.baseUrl(),
                                                    github.uploadUrl(),
                                                    github.proxyUrl().reveal()))
                                    .containsExactly("b", "u", "p");
                        });
        assertThat(sso.getLast().provider())
                .isInstanceOfSatisfying(
                        SharedSso.Oidc.class,
                        oidc -> {
                            assertThat(oidc.client().secret().reveal()).isEqualTo("s2");
                            assertThat(oidc.endpoints())
                                    .isEqualTo(new Endpoints("i", "r", "a", "t", "u"));
                            assertThat(oidc.proxyUrl().reveal()).isEqualTo("p");
                            assertThat(oidc.scopes()).containsExactly("openid");
                            assertThat(oidc.claims())
                                    .isEqualTo(new Claims("roles", "name", "avatar"));
                        });
    }

    @Test
    void whatIsNotWrittenHasItsDefault() {
        var config = controlPlane(withSpec("")).value();

        assertThat(config.address()).isEmpty();
        assertThat(config.storage().datastore()).isEqualTo(new Datastore.Unset());
        assertThat(config.storage().filestore()).isEqualTo(new Filestore.Unset());
        assertThat(config.storage().cache().address().isSet()).isFalse();
        assertThat(config.insightCollector())
                .isEqualTo(
                        new InsightCollector(
                                new ApplicationInsight(true, cron("0 * * * *")),
                                new DeploymentInsight(true, cron("30 * * * *"), 1000)));
        assertThat(config.projects()).isEmpty();
        assertThat(config.login().stateKey().isSet()).isFalse();
        assertThat(config.login().sharedSso()).isEmpty();
        assertThat(config.login().ownSso()).isEqualTo(ControlPlaneConfig.Reach.NETWORK);
        assertThat(config.webhook().secret().isSet()).isFalse();
        assertThat(config.ops().owner().enabled()).isFalse();
        assertThat(config.ops().lostAfter()).isZero();
        assertThat(config.ops().retention())
                .isEqualTo(
                        new Retention(Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO));
    }

    /// Nothing would tell a server that begins with an empty database from one whose file ended too
    /// early.
    @Test
    void aFileThatIsCutShortIsRefused() {
        var head = "apiVersion: pipecd.dev/v1beta1\nkind: ControlPlane\n";

        assertThat(
                        Stream.of("", "spec:", "spec:\n", "spec: null\n")
                                .map(rest -> mistakes(() -> controlPlane(head + rest))))
                .allSatisfy(told ->
                        assertThat(told)
                                .singleElement(STRING)
                                .matches(
                                        "cp\\.yaml:\\d+:\\d+: spec: missing \\(expected: an object; is the file cut short\\? write \\{} if everything is to have its default\\)"));
        assertThat(mistakes(() -> controlPlane(head + "spec:\n  datastore:\n  filestore:\n")))
                .containsExactly(
                        "cp.yaml:4:13: spec.datastore: missing (expected: type and config; is the file cut short? leave the key out for the default)",
                        "cp.yaml:5:13: spec.filestore: missing (expected: type and config; is the file cut short? leave the key out for the default)");
    }

    @Test
    void unknownKeysAreMistakesWithWhatWasMeant() {
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        """
                                        apiVersion: pipecd.dev/v1beta1
                                        kind: ControlPlane
                                        metadata: {}
                                        spec:
                                          adress: x
                                          projects: [{id: a, staticAdmin: {user: b}}]
                                          cache: {ttl: 3}
                                          sharedSSOConfigs: [{name: a, provider: OIDC, oidc: {userinfo_url: x}}]
                                        """)))
                .containsExactly(
                        "cp.yaml:3:1: metadata: metadata (expected: one of apiVersion, kind, spec)",
                        "cp.yaml:5:3: spec.adress: adress (expected: a known key; did you mean \"address\"?)",
                        "cp.yaml:6:36: spec.projects[0].staticAdmin.user: user (expected: one of username, passwordHash)",
                        "cp.yaml:8:55: spec.sharedSSOConfigs[0].oidc.userinfo_url: userinfo_url (expected: one of clientId, clientSecret, issuer, redirectUri, authorizationEndpoint, tokenEndpoint, userInfoEndpoint, scopes, rolesClaimKey, usernameClaimKey, avatarUrlClaimKey, proxyUrl)");
    }

    @Test
    void unknownKeysOfTheStoresAreOnlyWarnedOf() {
        var loaded =
                controlPlane(
                        withSpec("datastore: {type: SQLITE, tpye: x, config: {path: a, pth: b}}"));

        assertThat(warnings(loaded))
                .containsExactly(
                        "cp.yaml:3:34: spec.datastore.tpye: tpye (ignored: not a known key; did you mean \"type\"?)",
                        "cp.yaml:3:61: spec.datastore.config.pth: pth (ignored: not a known key; did you mean \"path\"?)");
    }

    /// It is how long the public server believes what it has in Redis; ours asks the store.
    @Test
    void aLifeOfCachedThingsHasNoEffectAndThatIsTold() {
        assertThat(warnings(controlPlane(withSpec("cache: {ttl: 600000000000}"))))
                .containsExactly(
                        "cp.yaml:3:21: spec.cache.ttl: 10m0s (without effect: nothing is kept for a time only)");
        assertThat(mistakes(() -> controlPlane(withSpec("cache: {ttl: soon}")))).hasSize(1);
    }

    @Test
    void storesOfOtherMachinesAreRead() {
        assertThat(
                        controlPlane(
                                        withSpec(
                                                "datastore: {type: MYSQL, config: {url: 'u:p@tcp(h)', database: d, usernameFile: f, passwordFile: g}}"))
                                .value()
                                .storage()
                                .datastore())
                .isInstanceOfSatisfying(
                        Datastore.MySql.class,
                        found -> {
                            var mysql = found.server();
                            assertThat(mysql.url().reveal()).isEqualTo("u:p@tcp(h)");
                            assertThat(mysql.database()).isEqualTo("d");
                            assertThat(mysql.username().isSet()).isTrue();
                            assertThat(mysql.password().isSet()).isTrue();
                        });
        assertThat(
                        controlPlane(
                                        withSpec(
                                                "filestore: {type: S3, config: {bucket: b, region: r, roleARN: x}}"))
                                .value()
                                .storage()
                                .filestore())
                .isEqualTo(
                        new Filestore.S3(
                                "b",
                                "r",
                                new Filestore.AwsLogin("", "", "x", ""),
                                Filestore.S3Options.none()));
        assertThat(
                        controlPlane(
                                        withSpec(
                                                "filestore: {type: MINIO, config: {endpoint: e, bucket: b, autoCreateBucket: on}}"))
                                .value()
                                .storage()
                                .filestore())
                .isInstanceOfSatisfying(
                        Filestore.Minio.class,
                        minio -> {
                            assertThat(List.of(minio.endpoint(), minio.bucket()))
                                    .containsExactly("e", "b");
                            assertThat(minio.accessKey().isSet()).isFalse();
                            assertThat(minio.autoCreateBucket()).isTrue();
                        });
    }

    @Test
    void storesThatThereAreNotYetAreMistakes() {
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        withSpec(
                                                "datastore: {type: FIRESTORE, config: {project: p}}, filestore: {type: GCS, config: {bucket: b}}"))))
                .containsExactly(
                        "cp.yaml:3:26: spec.datastore.type: \"FIRESTORE\" (expected: one of SQLITE, MYSQL, MARIADB)",
                        "cp.yaml:3:78: spec.filestore.type: \"GCS\" (expected: one of LOCAL, S3, MINIO)");
    }

    @Test
    void s3MayBeAnotherServerUnderAPrefixAndEncrypted() {
        var options =
                "endpoint: https://s3.example.com, pathStyle: true, prefix: team/a, encryption: aws:kms, kmsKeyID: k";

        assertThat(
                        controlPlane(
                                        withSpec(
                                                "filestore: {type: S3, config: {bucket: b, region: r, %s}}"
                                                        .formatted(options)))
                                .value()
                                .storage()
                                .filestore())
                .isEqualTo(
                        new Filestore.S3(
                                "b",
                                "r",
                                new Filestore.AwsLogin("", "", "", ""),
                                new Filestore.S3Options(
                                        "https://s3.example.com", true, "team/a", "aws:kms", "k")));
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        withSpec(
                                                "filestore: {type: S3, config: {bucket: b, region: r, encryption: none}}"))))
                .singleElement()
                .asString()
                .contains(
                        "spec.filestore.config.encryption: \"none\" (expected: one of AES256, aws:kms");
    }

    @Test
    void theCachesAddressAndPasswordAreSecrets() {
        var loaded =
                controlPlane(
                        withSpec(
                                "cache: {address: 'rediss://u:hidden@cache:6380/2', password: hidden, caFile: /ca.pem}"));

        var cache = loaded.value().storage().cache();
        assertThat(cache.address().reveal()).isEqualTo("rediss://u:hidden@cache:6380/2");
        assertThat(cache.password().reveal()).isEqualTo("hidden");
        assertThat(cache.caFile()).isEqualTo("/ca.pem");
        assertThat(loaded.masked()).doesNotContain("hidden");
    }

    @Test
    void aStoreOfAnUnknownTypeIsAMistake() {
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        withSpec(
                                                "datastore: {type: sqlite, config: {any: 1}}, filestore: {config: {}}"))))
                .containsExactly(
                        "cp.yaml:3:26: spec.datastore.type: \"sqlite\" (expected: one of SQLITE, MYSQL, MARIADB; did you mean \"SQLITE\"?)",
                        "cp.yaml:3:64: spec.filestore.type: missing (expected: one of LOCAL, S3, MINIO)");
    }

    @Test
    void storesLackingWhatTheyNeedAreMistakes() {
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        withSpec(
                                                "datastore: {type: MYSQL}, filestore: {type: S3, config: {bucket: ''}}"))))
                .containsExactly(
                        "cp.yaml:3:19: spec.datastore.config.url: missing (expected: text)",
                        "cp.yaml:3:64: spec.filestore.config.region: missing (expected: text)",
                        "cp.yaml:3:73: spec.filestore.config.bucket: missing (expected: text)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"u:p@tcp(h)", "u:p@tcp(h)/", "u:p@tcp(h)/?tls=a", "h:3306"})
    void aServerOfDatabasesNeedsTheNameOfOne(String url) {
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        withSpec(
                                                "datastore: {type: MYSQL, config: {url: '%s'}}"
                                                        .formatted(url)))))
                .containsExactly(
                        "cp.yaml:3:41: spec.datastore.config.database: missing (expected: the name of a database, here or in url)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "url: 'u:p@tcp(h)/d'",
                "url: 'u:p@tcp(h)/d?tls=a/b'",
                "url: 'h:3306/d'",
                "url: 'u:p/w@unix(/s)/d'",
                "url: 'u:p@tcp(h)', database: d",
                "url: 'env:DSN'"
            })
    void theDatabaseMayStandInTheUrl(String config) {
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        withSpec(
                                                "datastore: {type: MYSQL, config: {%s}}"
                                                        .formatted(config)))))
                .isEmpty();
    }

    @Test
    void aPasswordThatWasNotHashedIsWarnedOfWithoutBeingShown() {
        var project = "projects: [{id: a, staticAdmin: {username: u, passwordHash: %s}}]";

        assertThat(warnings(controlPlane(withSpec(project.formatted("hello")))))
                .containsExactly(
                        "cp.yaml:3:68: spec.projects[0].staticAdmin.passwordHash: ****** (no bcrypt hash: nobody can log in with it)");
        assertThat(warnings(controlPlane(withSpec(project.formatted("$2a$10$" + "x".repeat(53))))))
                .isEmpty();
        assertThat(warnings(controlPlane(withSpec(project.formatted("env:HASH"))))).isEmpty();
    }

    @Test
    void theWarningThatNamesTheCauseStandsBesideTheMistake() {
        assertThatThrownBy(
                        () -> controlPlane(withSpec("filestore: {type: S3, confg: {bucket: b}}")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("spec.filestore.config.bucket: missing")
                .hasMessageContaining(
                        "warning: cp.yaml:3:30: spec.filestore.confg: confg (ignored: not a known key; did you mean \"config\"?)");
    }

    @Test
    void aProjectIsNamedOnce() {
        assertThat(
                        mistakes(() ->
                                controlPlane(withSpec("projects: [{id: a}, {id: a}, {desc: x}]"))))
                .containsExactly(
                        "cp.yaml:3:33: spec.projects[1].id: \"a\" (expected: each project once)",
                        "cp.yaml:3:37: spec.projects[2].id: missing (expected: text)");
    }

    @Test
    void aProjectsIdHasAtMostFiftyCharacters() {
        var fifty = "\u00fc".repeat(50);
        assertThat(
                        controlPlane(withSpec("projects: [{id: %s}]".formatted(fifty)))
                                .value()
                                .projects())
                .hasSize(1);
        assertThat(mistakes(() -> controlPlane(withSpec("projects: [{id: %sx}]".formatted(fifty)))))
                .containsExactly(
                        "cp.yaml:3:24: spec.projects[0].id: \"%sx\" (expected: at most 50 characters)"
                                .formatted(fifty));
    }

    @Test
    void integersAreWholeNumbers() {
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        withSpec(
                                                "insightCollector: {deployment: {chunkMaxCount: 3.7}}"))))
                .containsExactly(
                        "cp.yaml:3:55: spec.insightCollector.deployment.chunkMaxCount: 3.7 (expected: a whole number from 0 to 2147483647)");
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        withSpec(
                                                "insightCollector: {deployment: {chunkMaxCount: '3'}}"))))
                .hasSize(1);
    }

    @Test
    void whatAProjectsOwnSignOnMayNameIsOneOfThree() {
        assertThat(mistakes(() -> controlPlane(withSpec("projectSSO: {addresses: all}"))))
                .containsExactly(
                        "cp.yaml:3:32: spec.projectSSO.addresses: \"all\" (expected: one of PUBLIC, NETWORK, ANY)");
    }

    @Test
    void aProviderNobodyOffersIsWarnedOf() {
        assertThat(
                        warnings(
                                controlPlane(
                                        withSpec(
                                                "sharedSSOConfigs: [{name: g, provider: GOOGLE, google: {clientId: c}}]"))))
                .containsExactly(
                        "cp.yaml:3:47: spec.sharedSSOConfigs[0].provider: GOOGLE (nobody can log in with it; OIDC with the issuer https://accounts.google.com works)");
    }

    @Test
    void aProviderWithoutItsPartIsAMistake() {
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        withSpec(
                                                "sharedSSOConfigs: [{name: g, provider: GITHUB}, {}]"))))
                .containsExactly(
                        "cp.yaml:3:27: spec.sharedSSOConfigs[0].github: missing (expected: an object)",
                        "cp.yaml:3:56: spec.sharedSSOConfigs[1].name: missing (expected: text)",
                        "cp.yaml:3:56: spec.sharedSSOConfigs[1].provider: missing (expected: one of GITHUB, OIDC, GOOGLE)");
    }

    @Test
    void secretsAreNeitherShownNorQuotedInMistakes() {
        var loaded = controlPlane(FULL);

        assertThat(loaded.toString() + loaded.masked())
                .doesNotContain("state-key", "hook-secret", "$2a$10$abc", "s1", "s2");
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        withSpec("stateKey: 12345, webhook: {secret: [hunter2]}"))))
                .containsExactly(
                        "cp.yaml:3:18: spec.stateKey: a number (expected: text)",
                        "cp.yaml:3:43: spec.webhook.secret: a list (expected: text)");
    }

    private static String withSpec(String spec) {
        return "apiVersion: pipecd.dev/v1beta1\nkind: ControlPlane\nspec: {" + spec + "}\n";
    }
}
