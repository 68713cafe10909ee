// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.store.engine.Dsn;
import dev.pipecd.domain.Problem;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Connections to databases with encryption and without: the MySQL of the tests offers it, with a
/// certificate nobody knows; the MariaDB does not.
class TlsTest {
    @ParameterizedTest
    @ValueSource(strings = {"skip-verify", "Skip-Verify", "preferred"})
    void whatIsOfferedIsUsed(String tls) {
        try (var database = TestEngine.open(at(TestEngine.MYSQL, Map.of("tls", tls)))) {
            assertThat(cipher(database)).isNotEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "0", "False", ""})
    void whatIsNotWantedIsNotUsed(String tls) {
        try (var database = TestEngine.open(at(TestEngine.MYSQL, Map.of("tls", tls)))) {
            assertThat(cipher(database)).isEmpty();
        }
    }

    @Test
    void preferredDoesWithoutWhereNothingIsOfferedAsThePublicServerDoes() {
        try (var database = TestEngine.open(at(TestEngine.MARIADB, Map.of("tls", "preferred")))) {
            assertThat(cipher(database)).isEmpty();
        }
        var allowed = Map.of("tls", "skip-verify", "allowFallbackToPlaintext", "true");
        try (var database = TestEngine.open(at(TestEngine.MARIADB, allowed))) {
            assertThat(cipher(database)).isEmpty();
        }
    }

    @Test
    void whoDemandsWhatIsNotOfferedIsToldAtOnce() {
        var place = at(TestEngine.MARIADB, Map.of("tls", "skip-verify"));

        assertThatThrownBy(() -> Database.open(place).close())
                .isInstanceOf(Problem.class)
                .hasMessageContaining(
                        "datastore.config.url: tls=skip-verify (expected: false, or preferred");
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "1", "TRUE"})
    void aCertificateNobodyKnowsIsRefusedWhereItIsChecked(String tls) {
        var place = at(TestEngine.MYSQL, Map.of("tls", tls));
        var clock = InstantSource.fixed(Instant.ofEpochSecond(1_800_000_000));

        assertThatThrownBy(() -> Database.look(place, clock))
                .isInstanceOfSatisfying(
                        Problem.class, p -> assertThat(p.told()).containsIgnoringCase("certif"));
    }

    private static Database.Place at(TestEngine engine, Map<String, String> parameters) {
        var dsn = ((Database.Place.Server) engine.fresh()).dsn();
        return new Database.Place.Server(
                new Dsn(
                        dsn.user(),
                        dsn.password(),
                        dsn.address(),
                        dsn.unix(),
                        dsn.database(),
                        parameters),
                engine.name());
    }

    private static String cipher(Database database) {
        return database.read(connection -> {
            try (var statement = connection.createStatement();
                    var rows = statement.executeQuery("SHOW SESSION STATUS LIKE 'Ssl_cipher'")) {
                return rows.next() ? rows.getString(2) : "";
            }
        });
    }
}
