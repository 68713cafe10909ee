// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.pipecd.agent.process.ProcessGroup;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ProcessOutputTest {
    @Test
    void aPluginGoneWildDoesNotFillTheLog() throws Exception {
        var seen = new ListAppender<ILoggingEvent>();
        seen.start();
        // Another class may be about to set up logging.
        await().atMost(Duration.ofMinutes(1))
                .until(() -> LoggerFactory.getILoggerFactory() instanceof LoggerContext);
        var logger = (Logger) LoggerFactory.getLogger("plugin.wild");
        logger.setLevel(Level.INFO);
        logger.setAdditive(false);
        logger.addAppender(seen);
        var process =
                ProcessGroup.start(
                        List.of("sh", "-c", "yes wild | head -n 200000; echo the end"),
                        Map.of(),
                        Set.of());

        var output = new ProcessOutput(process.process(), "plugin.wild");

        await().atMost(Duration.ofMinutes(1)).until(() -> output.lastLines().contains("the end"));
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() ->
                        assertThat(List.copyOf(seen.list))
                                .extracting(ILoggingEvent::getFormattedMessage)
                                .anyMatch(line -> line.matches("\\d+ line\\(s\\) are left out")));
        assertThat(seen.list).hasSizeLessThan(10_000);
    }
}
