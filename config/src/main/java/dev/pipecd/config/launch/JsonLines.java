// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.launch;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/// One JSON object a line, with the keys log collectors know from the public server.
final class JsonLines extends EncoderBase<ILoggingEvent> {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String service;
    private final String version;

    JsonLines(String service, String version) {
        this.service = service;
        this.version = version;
    }

    @Override
    public byte[] headerBytes() {
        return new byte[0];
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        var line =
                JSON.createObjectNode()
                        .put("eventTime", event.getTimeStamp() / 1000.0)
                        .put("severity", severity(event.getLevel()))
                        .put("logger", event.getLoggerName())
                        .put("caller", caller(event))
                        .put("message", event.getFormattedMessage());
        if (event.getKeyValuePairs() != null)
            event.getKeyValuePairs().forEach(p -> line.put(p.key, String.valueOf(p.value)));
        if (event.getThrowableProxy() != null)
            line.put("stacktrace", ThrowableProxyUtil.asString(event.getThrowableProxy()));
        line.putObject("serviceContext").put("service", service).put("version", version);
        try {
            return (JSON.writeValueAsString(line) + "\n").getBytes(UTF_8);
        } catch (JsonProcessingException e) {
            return (event.getFormattedMessage() + "\n").getBytes(UTF_8);
        }
    }

    private static String severity(Level level) {
        return level == Level.WARN ? "WARNING" : level.toString();
    }

    private static String caller(ILoggingEvent event) {
        var callers = event.getCallerData();
        return callers.length == 0
                ? ""
                : callers[0].getFileName() + ":" + callers[0].getLineNumber();
    }

    @Override
    public byte[] footerBytes() {
        return new byte[0];
    }
}
