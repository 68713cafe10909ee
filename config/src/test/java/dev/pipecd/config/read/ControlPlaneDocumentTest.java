// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import static dev.pipecd.config.read.Reading.controlPlane;
import static dev.pipecd.config.read.Reading.controlPlaneSpec;
import static dev.pipecd.config.read.Reading.mistakes;
import static org.assertj.core.api.Assertions.assertThat;

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
                  github: {clientId: c1, clientSecret: s1, baseUrl: b, uploadUrl: u, proxyUrl: 'http://u:p@proxy'}
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
                    proxyUrl: http://proxy:3128
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
                                    .containsExactly("b", "u", "http://u:p@proxy");
                        });
        assertThat(sso.getLast().provider())
                .isInstanceOfSatisfying(
                        SharedSso.Oidc.class,
                        oidc -> {
                            assertThat(oidc.client().secret().reveal()).isEqualTo("s2");
                            assertThat(oidc.endpoints())
                                    .isEqualTo(new Endpoints("i", "r", "a", "t", "u"));
                            assertThat(oidc.proxyUrl().reveal()).isEqualTo("http://proxy:3128");
                            assertThat(oidc.scopes()).containsExactly("openid");
                            assertThat(oidc.claims())
                                    .isEqualTo(new Claims("roles", "name", "avatar"));
                        });
    }

    @Test
    void whatIsNotWrittenHasItsDefault() {
        var config = controlPlane(controlPlaneSpec("")).value();

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

    @Test
    void storesOfOtherMachinesAreRead() {
        assertThat(
                        controlPlane(
                                        controlPlaneSpec(
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
                                        controlPlaneSpec(
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
                                        controlPlaneSpec(
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
    void s3MayBeAnotherServerUnderAPrefixAndEncrypted() {
        var options =
                "endpoint: https://s3.example.com, pathStyle: true, prefix: team/a, encryption: aws:kms, kmsKeyID: k";

        assertThat(
                        controlPlane(
                                        controlPlaneSpec(
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
                                        controlPlaneSpec(
                                                "filestore: {type: S3, config: {bucket: b, region: r, encryption: none}}"))))
                .singleElement()
                .asString()
                .contains(
                        "spec.filestore.config.encryption: \"none\" (expected: one of AES256, aws:kms");
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
                                        controlPlaneSpec(
                                                "datastore: {type: MYSQL, config: {%s}}"
                                                        .formatted(config)))))
                .isEmpty();
    }
}
