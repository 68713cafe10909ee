// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.launch;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import org.slf4j.LoggerFactory;

/// Sets up what is logged and how, on standard error, before anything else speaks.
public final class Logging {
    private Logging() {}

    /// For what runs before the flags are read: nothing is logged until they say how.
    public static void silence() {
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) return;
        context.reset();
        context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).setLevel(Level.OFF);
    }

    /// @param service whose log it is, where several come together
    public static void configure(String level, Encoding encoding, String service, String version) {
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) return;
        context.reset();
        var encoder = encoder(encoding, service, version);
        encoder.setContext(context);
        encoder.start();
        var appender = new ConsoleAppender<ILoggingEvent>();
        appender.setContext(context);
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.addFilter(new RequestMark());
        appender.start();
        var root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.WARN);
        root.addAppender(appender);
        // Libraries tell operators nothing they could act on below a warning.
        context.getLogger("dev.pipecd").setLevel(level(level));
        context.getLogger("io.micrometer").setLevel(Level.ERROR);
        // Warns, with a stack, of all that callers do wrong; they are told themselves.
        context.getLogger("com.linecorp.armeria").setLevel(Level.ERROR);
        // Tells each try to reconnect; the cache tells once that Redis is away.
        context.getLogger("io.lettuce").setLevel(Level.ERROR);
    }

    private static Encoder<ILoggingEvent> encoder(
            Encoding encoding, String service, String version) {
        return switch (encoding) {
            case humanize -> pattern("%msg %kvp%n");
            case console -> pattern("%d{ISO8601}\t%level\t%logger{0}\t%msg %kvp%n");
            case json -> new JsonLines(service, version);
        };
    }

    private static PatternLayoutEncoder pattern(String pattern) {
        var encoder = new PatternLayoutEncoder();
        encoder.setPattern(pattern);
        return encoder;
    }

    /// The public names; what is above error exists only to be accepted.
    private static Level level(String name) {
        return switch (name) {
            case "debug" -> Level.DEBUG;
            case "info" -> Level.INFO;
            case "warn" -> Level.WARN;
            default -> Level.ERROR;
        };
    }

    /// Named as the flag's values are written.
    @SuppressWarnings("checkstyle:ConstantName")
    public enum Encoding {
        humanize,
        console,
        json
    }
}
