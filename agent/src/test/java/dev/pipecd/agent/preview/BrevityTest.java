// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.preview;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.notify.PublicJson;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.agent.report.SmallControlPlane;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.ApplicationPlanPreviewResult;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.PlanPreviewCommandResult;
import dev.pipecd.wire.model.PluginPlanPreviewResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BrevityTest {
    private static final String CUT = "\n… (cut: the whole is too long for a preview)";

    @TempDir Path directory;

    @Test
    void whatFitsIsLeftAsItIs() {
        var all = answer("x".repeat(1_000), "x".repeat(2_000_000));

        assertThat(Brevity.written(all))
                .isEqualTo(PublicJson.of(all).toString().getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void theLongestAreCutSoThatAllFitsAndTheShortStayWhole() throws Exception {
        var written =
                Brevity.written(
                        answer("x".repeat(1_000), "x".repeat(3_000_000), "x".repeat(5_000_000)));

        var details = details(written);
        assertThat(details.get(0)).isEqualTo("x".repeat(1_000));
        assertThat(details.get(1)).endsWith("x" + CUT).hasSameSizeAs(details.get(2));
        assertThat(written.length).isBetween(3_600_000, 7 << 19);
    }

    @Test
    void aSummaryIsCutLikeTheRestAndACharacterOfSeveralBytesToo() throws Exception {
        var summary = ByteString.copyFromUtf8("ü".repeat(3_000_000));
        var plugin = PluginPlanPreviewResult.newBuilder().setPlanSummary(summary);
        var answer =
                PlanPreviewCommandResult.newBuilder()
                        .addResults(
                                ApplicationPlanPreviewResult.newBuilder()
                                        .addPluginPlanResults(plugin))
                        .build();

        assertThat(Brevity.written(answer).length).isBetween(3_600_000, 7 << 19);
    }

    @Test
    void thousandsOfSmallOnesFit() throws Exception {
        var texts = Collections.nCopies(5_000, "x".repeat(1_000)).toArray(String[]::new);

        var written = Brevity.written(answer(texts));

        assertThat(written.length).isLessThanOrEqualTo(7 << 19);
        assertThat(details(written)).hasSize(5_000).allMatch(detail -> detail.endsWith(CUT));
    }

    @Test
    void whatIsGatheredStaysSmallAndTheAnswerIsTheSame() {
        var texts = new ArrayList<String>();
        for (var i = 0; i < 300; i++) texts.add((i % 3 == 0 ? "xü" : "short ").repeat(1 + i * 700));
        var gathered = new Gathered();
        var most = 0L;

        for (var i = texts.size() - 1; i >= 0; i--) {
            gathered.add(i, result(texts.get(i)));
            most = Math.max(most, gathered.told());
        }

        assertThat(most).isBetween(4_000_000L, 2L * Brevity.MOST);
        assertThat(Brevity.written(answer().toBuilder().addAllResults(gathered.all()).build()))
                .isEqualTo(Brevity.written(answer(texts.toArray(String[]::new))));
        assertThat(gathered.told()).isLessThan(Brevity.MOST + 1_000L);
    }

    @Test
    void ofMoreApplicationsThanOneAnswerCanTellNoneIsKept() {
        var gathered = new Gathered();
        for (var i = 0; i < 200_000; i++) gathered.add(i, result("x"));

        assertThat(gathered.told()).isLessThan(200_000);
        assertThatThrownBy(gathered::all)
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "applications: 200000 touched (expected: as many as one answer can tell)");
    }

    @Test
    void moreApplicationsThanOneAnswerCanTellAreRefusedWithTheirNumber() {
        var texts = Collections.nCopies(60_000, "x").toArray(String[]::new);

        assertThatThrownBy(() -> Brevity.written(answer(texts)))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "applications: 60000 touched (expected: as many as one answer can tell)");
    }

    @Test
    void oneThatWasCutReachesTheControlPlane() throws Exception {
        var written = Brevity.written(answer("x".repeat(5_000_000)));

        try (var controlPlane = SmallControlPlane.open();
                var ledger = Ledger.open(directory);
                var outbox = new Outbox(ledger, controlPlane.client(), InstantSource.system())) {
            outbox.send(
                    Reports.answered(
                            new CommandId("c1"),
                            CommandStatus.COMMAND_SUCCEEDED,
                            written,
                            Instant.EPOCH));

            await().atMost(Duration.ofMinutes(1)).until(() -> outbox.waiting() == 0);
            assertThat(ledger.parked()).isEmpty();
            assertThat(controlPlane.handled).hasSize(1);
        }
    }

    private static PlanPreviewCommandResult answer(String... details) {
        return PlanPreviewCommandResult.newBuilder()
                .setCommandId("c1")
                .addAllResults(Arrays.stream(details).map(BrevityTest::result).toList())
                .build();
    }

    private static ApplicationPlanPreviewResult result(String details) {
        return ApplicationPlanPreviewResult.newBuilder()
                .setApplicationId("application")
                .addPluginPlanResults(
                        PluginPlanPreviewResult.newBuilder()
                                .setPlanDetails(ByteString.copyFromUtf8(details)))
                .build();
    }

    private static List<String> details(byte[] written) throws Exception {
        return nodes(new ObjectMapper().readTree(written).get("results"))
                .flatMap(result -> nodes(result.get("plugin_plan_results")))
                .map(BrevityTest::detail)
                .toList();
    }

    private static Stream<JsonNode> nodes(JsonNode list) {
        return list.valueStream();
    }

    private static String detail(JsonNode plugin) {
        try {
            return new String(plugin.get("plan_details").binaryValue(), StandardCharsets.UTF_8);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
