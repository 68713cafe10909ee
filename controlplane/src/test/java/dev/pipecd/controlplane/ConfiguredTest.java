// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.slf4j.LoggerFactory;

/// What is said of a configuration when a program starts with it.
@ResourceLock("logging")
final class ConfiguredTest {
    private static final String SHARED =
            "datastore: {type: MYSQL, config: {url: 'u:p@tcp(127.0.0.1:1)', database: d}}";

    @TempDir private Path folder;

    @Test
    void aDatabaseThatServersShareWithoutACacheThatTheyShareIsToldOnce() throws Exception {
        assertThat(warnings(SHARED, ""))
                .containsExactly(
                        "cache: this process, beside a database that servers may share. Name a Redis"
                                + " with --cache-address or cache.address before a second server or"
                                + " ops is started: they would not see each other's agents.");
    }

    @Test
    void aCacheByFlagOrFileAndADatabaseOfOneServerAreNoMatter() throws Exception {
        assertThat(warnings(SHARED, "redis:6379")).isEmpty();
        assertThat(warnings(SHARED + "\n  cache: {address: 'redis:6379'}", "")).isEmpty();
        assertThat(warnings("address: http://localhost:8080", "")).isEmpty();
    }

    private List<String> warnings(String spec, String cache) throws Exception {
        var file =
                Files.writeString(
                        folder.resolve("config.yaml"),
                        "apiVersion: pipecd.dev/v1beta1\nkind: ControlPlane\nspec:\n  %s\n"
                                .formatted(spec));
        var logger = (Logger) LoggerFactory.getLogger(Configured.class);
        var logged = new ListAppender<ILoggingEvent>();
        logged.start();
        logger.setLevel(Level.WARN); // a command of another test may have set another
        logger.addAppender(logged);
        try {
            var _ = Configured.read(new GivenFile("--config-file", file.toString()), folder, cache);
        } finally {
            logger.detachAppender(logged);
        }
        return logged.list.stream()
                .filter(event -> event.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }
}
