// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/// A change of the schema of a large database takes minutes, in which other servers start.
class SchemaLockTest {
    /// Longer than a server waits for any other answer.
    private static final int SECONDS = 32;

    @Test
    void whoStartsWhileAnotherChangesTheSchemaWaitsLongerThanForAnyAnswer() throws Exception {
        var place = (Database.Place.Server) TestEngine.MARIADB.fresh();
        var name = place.dsn().database();
        var lock = "LOCK('pipecd.schema." + name + "'";
        try (var other = TestEngine.MARIADB.server().connect(name);
                var statement = other.createStatement()) {
            statement.execute("DO GET_" + lock + ", 0)");
            var began = System.nanoTime();
            var holding =
                    new FutureTask<>(() -> {
                        statement.execute("DO SLEEP(" + SECONDS + ")");
                        return statement.execute("DO RELEASE_" + lock + ")");
                    });
            Thread.ofVirtual().start(holding);

            TestEngine.open(place).close();

            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .isGreaterThan(Duration.ofSeconds(SECONDS - 1));
            holding.get();
        }
    }
}
