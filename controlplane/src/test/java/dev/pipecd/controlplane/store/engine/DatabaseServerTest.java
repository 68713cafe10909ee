// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.domain.Problem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Which servers are taken, by what they say of themselves.
final class DatabaseServerTest {
    @ParameterizedTest
    @ValueSource(strings = {"8.0.13", "8.0.13-log", "8.0.36-28", "8.4.6", "9.7.0"})
    void aMySqlThatKnowsTheSchemaIsTaken(String version) {
        assertThat(DatabaseServer.dialect("MySQL " + version, "MYSQL"))
                .isInstanceOf(MySqlDialect.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.7.44-log", "8.0.0", "8.0.12", "8.0.11-TiDB-v7.5.1"})
    void anOlderMySqlIsRefusedWithTheLeastThatWorks(String version) {
        assertThatThrownBy(() -> DatabaseServer.dialect("MySQL " + version, "MYSQL"))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "datastore: MySQL %s (expected: MySQL 8.0.13 or later)".formatted(version));
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.11.0-MariaDB", "10.11.6-MariaDB-0+deb12u1", "11.4.2-MariaDB"})
    void aMariaDbThatKnowsTheSchemaIsTakenUnderBothNames(String version) {
        assertThat(DatabaseServer.dialect("MariaDB " + version, "MARIADB"))
                .isInstanceOf(MariaDbDialect.class);
        assertThat(DatabaseServer.dialect("MariaDB " + version, "MYSQL"))
                .isInstanceOf(MariaDbDialect.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.5.68-MariaDB", "10.6.18-MariaDB", "10.10.7-MariaDB-log"})
    void anOlderMariaDbIsRefusedWithTheLeastThatWorks(String version) {
        assertThatThrownBy(() -> DatabaseServer.dialect("MariaDB " + version, "MYSQL"))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "datastore: MariaDB %s (expected: MariaDB 10.11 or later)"
                                .formatted(version));
    }

    @Test
    void aMySqlIsNoMariaDb() {
        assertThatThrownBy(() -> DatabaseServer.dialect("MySQL 8.4.6", "MARIADB"))
                .isInstanceOf(Problem.class)
                .hasMessage("datastore: MySQL 8.4.6 (expected: MariaDB)");
    }
}
