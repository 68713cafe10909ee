// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Logs of a plugin go to stderr, from where the agent takes them; a `logback.xml` on the class
/// path has its own way.
final class HostLogging {
    private HostLogging() {}

    static void prepare() {
        if (HostLogging.class.getResource("/logback.xml") != null) return;
        var context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        var lines = new PatternLayoutEncoder();
        lines.setContext(context);
        lines.setPattern("%d{HH:mm:ss.SSS} %-5level %logger{0} - %msg%n");
        lines.start();
        var stderr = new ConsoleAppender<ILoggingEvent>();
        stderr.setContext(context);
        stderr.setTarget("System.err");
        stderr.setEncoder(lines);
        stderr.start();
        var root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.INFO);
        root.addAppender(stderr);
    }
}
