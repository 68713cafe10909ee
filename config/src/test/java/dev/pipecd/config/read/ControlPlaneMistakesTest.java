// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import static dev.pipecd.config.read.Reading.controlPlane;
import static dev.pipecd.config.read.Reading.controlPlaneSpec;
import static dev.pipecd.config.read.Reading.mistakes;
import static dev.pipecd.config.read.Reading.warnings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.pipecd.config.ConfigException;
import dev.pipecd.config.SharedSso;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What is refused in the control plane's file, and what is warned of.
final class ControlPlaneMistakesTest {
    @Test
    void whatIsKeptOrWaitedForTooShortlyIsAMistake() {
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        controlPlaneSpec(
                                                "ops: {lostAfter: 5m, retention: {events: 1h}}"))))
                .containsExactly(
                        "cp.yaml:3:25: spec.ops.lostAfter: 5m0s (expected: at least 10m0s, or nothing)",
                        "cp.yaml:3:49: spec.ops.retention.events: 1h0m0s (expected: at least 48h0m0s, or nothing)");
    }

    /// To whom a password would go in plain.
    @ParameterizedTest
    @ValueSource(
            strings = {"https://u:p@proxy", "socks5://u:p@proxy", "proxy:3128", "http://", "u:p@"})
    void aProxyThatIsNotSpokenToInHttpIsAMistakeAndNotTold(String proxy) {
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        controlPlaneSpec(
                                                "sharedSSOConfigs: [{name: a, provider: GITHUB, github: {proxyUrl: '%s'}}]"
                                                        .formatted(proxy)))))
                .containsExactly(
                        "cp.yaml:3:74: spec.sharedSSOConfigs[0].github.proxyUrl: ****** (expected: http://HOST:PORT, with USER:PASSWORD@ before HOST if it wants them)");
    }

    @Test
    void aScheduleThatIsNoneIsAMistake() {
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        controlPlaneSpec(
                                                "insightCollector: {application: {schedule: hourly}}"))))
                .containsExactly(
                        "cp.yaml:3:51: spec.insightCollector.application.schedule: \"hourly\" (expected: cron with five fields, such as \"0 * * * *\", or @every and a duration)");
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
                        controlPlaneSpec(
                                "datastore: {type: SQLITE, tpye: x, config: {path: a, pth: b}}"));

        assertThat(warnings(loaded))
                .containsExactly(
                        "cp.yaml:3:34: spec.datastore.tpye: tpye (ignored: not a known key; did you mean \"type\"?)",
                        "cp.yaml:3:61: spec.datastore.config.pth: pth (ignored: not a known key; did you mean \"path\"?)");
    }

    /// It is how long the public server believes what it has in Redis; ours asks the store.
    @Test
    void aLifeOfCachedThingsHasNoEffectAndThatIsTold() {
        assertThat(warnings(controlPlane(controlPlaneSpec("cache: {ttl: 600000000000}"))))
                .containsExactly(
                        "cp.yaml:3:21: spec.cache.ttl: 10m0s (without effect: nothing is kept for a time only)");
        assertThat(mistakes(() -> controlPlane(controlPlaneSpec("cache: {ttl: soon}")))).hasSize(1);
    }

    @Test
    void storesThatThereAreNotYetAreMistakes() {
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        controlPlaneSpec(
                                                "datastore: {type: FIRESTORE, config: {project: p}}, filestore: {type: GCS, config: {bucket: b}}"))))
                .containsExactly(
                        "cp.yaml:3:26: spec.datastore.type: \"FIRESTORE\" (expected: one of SQLITE, MYSQL, MARIADB)",
                        "cp.yaml:3:78: spec.filestore.type: \"GCS\" (expected: one of LOCAL, S3, MINIO)");
    }

    @Test
    void aStoreOfAnUnknownTypeIsAMistake() {
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        controlPlaneSpec(
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
                                        controlPlaneSpec(
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
                                        controlPlaneSpec(
                                                "datastore: {type: MYSQL, config: {url: '%s'}}"
                                                        .formatted(url)))))
                .containsExactly(
                        "cp.yaml:3:41: spec.datastore.config.database: missing (expected: the name of a database, here or in url)");
    }

    @Test
    void theWarningThatNamesTheCauseStandsBesideTheMistake() {
        assertThatThrownBy(() ->
                        controlPlane(controlPlaneSpec("filestore: {type: S3, confg: {bucket: b}}")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("spec.filestore.config.bucket: missing")
                .hasMessageContaining(
                        "warning: cp.yaml:3:30: spec.filestore.confg: confg (ignored: not a known key; did you mean \"config\"?)");
    }

    @Test
    void aProjectIsNamedOnce() {
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        controlPlaneSpec(
                                                "projects: [{id: a}, {id: a}, {desc: x}]"))))
                .containsExactly(
                        "cp.yaml:3:33: spec.projects[1].id: \"a\" (expected: each project once)",
                        "cp.yaml:3:37: spec.projects[2].id: missing (expected: text)");
    }

    @Test
    void aProjectsIdHasAtMostFiftyCharacters() {
        var fifty = "\u00fc".repeat(50);
        assertThat(
                        controlPlane(controlPlaneSpec("projects: [{id: %s}]".formatted(fifty)))
                                .value()
                                .projects())
                .hasSize(1);
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        controlPlaneSpec(
                                                "projects: [{id: %sx}]".formatted(fifty)))))
                .containsExactly(
                        "cp.yaml:3:24: spec.projects[0].id: \"%sx\" (expected: at most 50 characters)"
                                .formatted(fifty));
    }

    @Test
    void integersAreWholeNumbers() {
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        controlPlaneSpec(
                                                "insightCollector: {deployment: {chunkMaxCount: 3.7}}"))))
                .containsExactly(
                        "cp.yaml:3:55: spec.insightCollector.deployment.chunkMaxCount: 3.7 (expected: a whole number from 0 to 2147483647)");
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        controlPlaneSpec(
                                                "insightCollector: {deployment: {chunkMaxCount: '3'}}"))))
                .hasSize(1);
    }

    @Test
    void whatAProjectsOwnSignOnMayNameIsOneOfThree() {
        assertThat(mistakes(() -> controlPlane(controlPlaneSpec("projectSSO: {addresses: all}"))))
                .containsExactly(
                        "cp.yaml:3:32: spec.projectSSO.addresses: \"all\" (expected: one of PUBLIC, NETWORK, ANY)");
    }

    @Test
    void aProjectNamesOneOfTheWaysThereAre() {
        var ways =
                "address: https://cd.example.com, sharedSSOConfigs: [{name: hub, provider: GITHUB, github: {clientId: c}}], ";
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        controlPlaneSpec(
                                                ways
                                                        + "projects: [{id: a, sharedSSOName: hbu}, {id: b, sharedSSOName: google}, {id: c, sharedSSOName: hub}]"))))
                .containsExactly(
                        "cp.yaml:3:149: spec.projects[0].sharedSSOName: \"hbu\" (expected: the name of one of sharedSSOConfigs; did you mean \"hub\"?)",
                        "cp.yaml:3:178: spec.projects[1].sharedSSOName: \"google\" (expected: the name of one of sharedSSOConfigs)");
    }

    /// The public server takes the last.
    @Test
    void ofTwoWaysOfOneNameTheLastCountsAndThatIsTold() {
        var loaded =
                controlPlane(
                        controlPlaneSpec(
                                "address: a, sharedSSOConfigs: [{name: w, provider: GITHUB, github: {clientId: c}}, {name: w, provider: OIDC, oidc: {clientId: c, issuer: i}}]"));

        assertThat(warnings(loaded))
                .containsExactly(
                        "cp.yaml:3:46: spec.sharedSSOConfigs[0].name: \"w\" (without effect: a later one has the same name)");
        assertThat(loaded.value().login().sharedSso())
                .singleElement()
                .extracting(SharedSso::provider)
                .isInstanceOf(SharedSso.Oidc.class);
    }

    /// The public server starts with it, and only who logs in finds out.
    @Test
    void whatALoginCannotDoWithoutIsWarnedOf() {
        assertThat(
                        warnings(
                                controlPlane(
                                        controlPlaneSpec(
                                                "sharedSSOConfigs: [{name: g, provider: GITHUB, github: {clientSecret: s}}, {name: o, provider: OIDC, oidc: {scopes: [a]}}]"))))
                .containsExactly(
                        "cp.yaml:3:47: spec.sharedSSOConfigs[0].provider: GITHUB (nobody can log in with it: address is missing)",
                        "cp.yaml:3:63: spec.sharedSSOConfigs[0].github.clientId: missing (nobody can log in without it)",
                        "cp.yaml:3:103: spec.sharedSSOConfigs[1].provider: OIDC (nobody can log in with it: address and redirectUri are missing)",
                        "cp.yaml:3:115: spec.sharedSSOConfigs[1].oidc.clientId: missing (nobody can log in without it)",
                        "cp.yaml:3:115: spec.sharedSSOConfigs[1].oidc.issuer: missing (nobody can log in without it)");
    }

    @Test
    void aWayThatSaysWhereToComeBackNeedsNoAddress() {
        assertThat(
                        warnings(
                                controlPlane(
                                        controlPlaneSpec(
                                                "sharedSSOConfigs: [{name: o, provider: OIDC, oidc: {clientId: c, issuer: i, redirectUri: r}}]"))))
                .isEmpty();
    }

    @Test
    void aProviderNobodyOffersIsWarnedOf() {
        assertThat(
                        warnings(
                                controlPlane(
                                        controlPlaneSpec(
                                                "sharedSSOConfigs: [{name: g, provider: GOOGLE, google: {clientId: c}}]"))))
                .containsExactly(
                        "cp.yaml:3:47: spec.sharedSSOConfigs[0].provider: GOOGLE (nobody can log in with it; OIDC with the issuer https://accounts.google.com works)");
    }

    @Test
    void aProviderWithoutItsPartIsAMistake() {
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        controlPlaneSpec(
                                                "sharedSSOConfigs: [{name: g, provider: GITHUB}, {}]"))))
                .containsExactly(
                        "cp.yaml:3:27: spec.sharedSSOConfigs[0].github: missing (expected: an object)",
                        "cp.yaml:3:56: spec.sharedSSOConfigs[1].name: missing (expected: text)",
                        "cp.yaml:3:56: spec.sharedSSOConfigs[1].provider: missing (expected: one of GITHUB, OIDC, GOOGLE)");
    }
}
