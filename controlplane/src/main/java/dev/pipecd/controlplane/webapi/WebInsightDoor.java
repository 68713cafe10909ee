// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.webapi;

import static java.time.ZoneOffset.UTC;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.controlplane.insight.Insights;
import dev.pipecd.controlplane.insight.Insights.Figure;
import dev.pipecd.controlplane.insight.Insights.Step;
import dev.pipecd.controlplane.insight.Question;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.InsightApplicationCount;
import dev.pipecd.wire.model.InsightApplicationCountLabelKey;
import dev.pipecd.wire.model.InsightDataPoint;
import dev.pipecd.wire.model.InsightMetricsKind;
import dev.pipecd.wire.model.InsightResolution;
import dev.pipecd.wire.model.InsightResultType;
import dev.pipecd.wire.model.InsightSampleStream;
import dev.pipecd.wire.web.*;
import io.grpc.stub.StreamObserver;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;

/// Takes what people ask about how well they deliver.
public final class WebInsightDoor extends WebServiceGrpc.WebServiceImplBase {
    private final Insights insights;
    private final InstantSource clock;

    public WebInsightDoor(Insights insights, InstantSource clock) {
        this.insights = insights;
        this.clock = clock;
    }

    @Override
    public void getInsightData(
            GetInsightDataRequest request, StreamObserver<GetInsightDataResponse> answer) {
        var caller = Caller.currentPerson();
        caller.requireSome(Caller.Resource.INSIGHT, Caller.Action.GET);
        var question =
                new Question(
                        caller.project(),
                        request.getApplicationId(),
                        request.getLabelsMap(),
                        day("range_from", request.getRangeFrom()),
                        day("range_to", request.getRangeTo()));
        var step = request.getResolution() == InsightResolution.MONTHLY ? Step.MONTH : Step.DAY;
        var points = InsightSampleStream.newBuilder();
        for (var point : insights.points(caller, figure(request.getMetricsKind()), step, question))
            points.addDataPoints(
                    InsightDataPoint.newBuilder()
                            .setTimestamp(point.at().atStartOfDay(UTC).toEpochSecond())
                            .setValue((float) point.value()));
        Reply.with(
                answer,
                GetInsightDataResponse.newBuilder()
                        .setUpdatedAt(clock.instant().getEpochSecond())
                        .setType(InsightResultType.MATRIX)
                        .addMatrix(points)
                        .build());
    }

    private static LocalDate day(String name, long seconds) {
        try {
            return LocalDate.ofInstant(Instant.ofEpochSecond(seconds), UTC);
        } catch (DateTimeException e) {
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    "%s: %d (expected: Unix seconds)".formatted(name, seconds),
                    "Give a time of this era.");
        }
    }

    private static Figure figure(InsightMetricsKind kind) {
        return switch (kind) {
            case DEPLOYMENT_FREQUENCY -> Figure.DEPLOYMENT_FREQUENCY;
            case CHANGE_FAILURE_RATE -> Figure.CHANGE_FAILURE_RATE;
            case LEAD_TIME -> Figure.LEAD_TIME;
            case MTTR -> Figure.TIME_TO_RESTORE;
            case APPLICATIONS_COUNT, UNRECOGNIZED ->
                    throw new Problem(
                            Problem.Code.REQUEST_INVALID,
                            "metrics_kind: %s (expected: one of the four keys)".formatted(kind),
                            "Applications are counted by GetInsightApplicationCount.");
        };
    }

    @Override
    public void getInsightApplicationCount(
            GetInsightApplicationCountRequest request,
            StreamObserver<GetInsightApplicationCountResponse> answer) {
        var told =
                GetInsightApplicationCountResponse.newBuilder()
                        .setUpdatedAt(clock.instant().getEpochSecond());
        for (var count : insights.applications(Caller.currentPerson()))
            told.addCounts(
                    InsightApplicationCount.newBuilder()
                            .putLabels(
                                    InsightApplicationCountLabelKey.KIND.name(),
                                    count.kind().name())
                            .putLabels(
                                    InsightApplicationCountLabelKey.ACTIVE_STATUS.name(),
                                    count.enabled() ? "ENABLED" : "DISABLED")
                            .setCount(count.count()));
        Reply.with(answer, told.build());
    }
}
