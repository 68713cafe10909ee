// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// `kill -9` at every moment of the walk, chosen by what has been seen: each deployment ends as if
/// nothing had happened, each script ran once, and no line that was shown is gone. It takes
/// longest, so it begins first.
@Order(1)
final class KillTest {
    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    final class Server {
        private Installation at;
        private Kills kills;

        @BeforeAll
        void open() {
            at = Installation.open();
            kills = new Kills(at, "server", m -> !m.needsNobody(), this::kill);
        }

        @AfterAll
        void close() throws Exception {
            at.close();
        }

        @Execution(ExecutionMode.SAME_THREAD)
        @ParameterizedTest(name = "kill -9 of the server when {0}")
        @EnumSource(
                mode = EnumSource.Mode.EXCLUDE,
                names = {"APPROVED_WHILE_AWAY", "CANCELLED_WHILE_AWAY"})
        void isKilled(Moment moment) {
            kills.at(moment).endedAsIfNothingHadHappened();
        }

        private void kill(List<KilledWalk> walks) {
            at.server().kill();
            at.startServer();
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    final class Agent {
        private Installation at;
        private Kills kills;

        @BeforeAll
        void open() {
            at = Installation.open();
            kills = new Kills(at, "agent", _ -> true, this::kill);
        }

        @AfterAll
        void close() throws Exception {
            at.close();
        }

        @Execution(ExecutionMode.SAME_THREAD)
        @ParameterizedTest(name = "kill -9 of the agent when {0}")
        @EnumSource
        void isKilled(Moment moment) {
            kills.at(moment).endedAsIfNothingHadHappened();
        }

        private void kill(List<KilledWalk> walks) {
            at.agent().kill();
            walks.forEach(KilledWalk::orderWhileAway);
            at.agent().start();
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    final class PluginHost {
        private Installation at;
        private Kills kills;
        private int killed;

        @BeforeAll
        void open() {
            at = Installation.open();
            kills = new Kills(at, "host", m -> !m.needsNobody(), this::kill);
        }

        @AfterAll
        void close() throws Exception {
            at.close();
        }

        @Execution(ExecutionMode.SAME_THREAD)
        @ParameterizedTest(name = "kill -9 of the plugin host when {0}")
        @EnumSource(
                mode = EnumSource.Mode.EXCLUDE,
                names = {"APPROVED_WHILE_AWAY", "CANCELLED_WHILE_AWAY"})
        void isKilled(Moment moment) {
            if (killed == 3) forgetTheKills();
            kills.at(moment).endedAsIfNothingHadHappened();
        }

        private void kill(List<KilledWalk> walks) {
            at.killHost();
            killed++;
        }

        /// A host that ends five times within a minute is rightly called hopeless.
        private void forgetTheKills() {
            at.agent().terminate();
            at.startAgent();
            killed = 0;
        }
    }
}
