// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.config.launch.Logging;
import dev.pipecd.config.launch.RequestScope;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/// Standard error is everybody's, so nothing else runs beside it.
@Isolated
final class RequestMarkTest {
    private final PrintStream err = System.err;

    @AfterEach
    void restore() {
        System.setErr(err);
        Logging.configure("info", Logging.Encoding.console, "pipecd.server", "test");
    }

    @Test
    void everyFormOfTheLogTellsWhichRequestALineBelongsTo() {
        assertThat(said(Logging.Encoding.humanize)).isEqualTo("hello requestId=\"r-1\"\nbye \n");
        assertThat(said(Logging.Encoding.console))
                .contains("INFO\tpipecd\thello requestId=\"r-1\"\n")
                .endsWith("pipecd\tbye \n");
        assertThat(said(Logging.Encoding.json))
                .contains("\"message\":\"hello\",\"requestId\":\"r-1\"")
                .containsOnlyOnce("requestId");
    }

    @Test
    void aJsonLineHasTheKeysThatCollectorsKnow() throws Exception {
        var line =
                new ObjectMapper()
                        .readTree(said(Logging.Encoding.json).lines().findFirst().orElseThrow());

        assertThat(line.path("eventTime").isDouble()).isTrue();
        assertThat(line.path("severity").asText()).isEqualTo("INFO");
        assertThat(line.path("logger").asText()).isEqualTo("dev.pipecd");
        assertThat(line.path("caller").asText()).startsWith("RequestMarkTest.java:");
        assertThat(line.path("serviceContext").toString())
                .isEqualTo("{\"service\":\"pipecd.server\",\"version\":\"test\"}");
    }

    private static String said(Logging.Encoding encoding) {
        var out = new ByteArrayOutputStream();
        System.setErr(new PrintStream(out, true, UTF_8));
        Logging.configure("info", encoding, "pipecd.server", "test");
        var log = LoggerFactory.getLogger("dev.pipecd");
        RequestScope.run("r-1", () -> log.info("hello"));
        log.info("bye");
        return out.toString(UTF_8);
    }
}
