// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.slf4j.LoggerFactory;

@ResourceLock("logging")
class GitAccessTest {
    @TempDir Path temp;

    private final ListAppender<ILoggingEvent> seen = new ListAppender<>();
    private final Logger logger = logger();

    /// Another test's class may be waking the logging just now.
    private static Logger logger() {
        await().atMost(Duration.ofMinutes(1))
                .until(() -> LoggerFactory.getILoggerFactory() instanceof LoggerContext);
        return (Logger) LoggerFactory.getLogger(GitAccess.class);
    }

    @BeforeEach
    void listen() {
        seen.start();
        logger.addAppender(seen);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(seen);
    }

    @Test
    void aPasswordInAnAddressWithoutTlsIsUsedAndWarnedAboutOnce() {
        var access = GitRemote.access(temp);

        for (var i = 0; i < 2; i++) {
            assertThat(hidden(access, "http://bot:t0ken@plain.example/shop.git")).contains("t0ken");
            assertThat(hidden(access.toStrangers(), "http://bot:t0ken@plain.example/lib.git"))
                    .contains("t0ken");
            assertThat(hidden(access, "https://bot:t0ken@safe.example/shop.git")).contains("t0ken");
            assertThat(hidden(access, "http://bot@name.example/shop.git")).isEmpty();
        }

        assertThat(warnings())
                .containsExactly(
                        "the password in the address of http://plain.example/shop.git is sent without TLS, and whoever listens on the way reads it: take https in `repositories[].remote`");
    }

    private static List<String> hidden(GitAccess access, String address) {
        try (var granted = access.grant(new Remote(address))) {
            return granted.hidden();
        }
    }

    /// Of these servers only: other tests may run beside this one.
    private List<String> warnings() {
        return seen.list.stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(text -> text.contains(".example/"))
                .toList();
    }
}
