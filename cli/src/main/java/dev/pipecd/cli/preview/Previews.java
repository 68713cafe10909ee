// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.preview;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.follow.Look;
import dev.pipecd.cli.follow.Patience;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import dev.pipecd.wire.api.GetPlanPreviewResultsRequest;
import dev.pipecd.wire.api.RequestPlanPreviewRequest;
import dev.pipecd.wire.model.ApplicationPlanPreviewResult;
import dev.pipecd.wire.model.PlanPreviewCommandResult;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Asks for a plan preview and waits until every agent concerned has answered.
final class Previews {
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private final ApiConnection api;
    private final Terminal terminal;
    private final Duration limit;

    Previews(ApiConnection api, Terminal terminal, Duration limit) {
        this.api = api;
        this.terminal = terminal;
        this.limit = limit;
    }

    /// What the agents answered; the applications in the order in which they are shown.
    Answers of(RequestPlanPreviewRequest request, List<String> labelKeys)
            throws InterruptedException {
        var patience = new Patience(terminal, INTERVAL, limit);
        var commands = api.ask(stub -> stub.requestPlanPreview(request)).getCommandsList();
        if (commands.isEmpty()) {
            terminal.progress("No agent watches this branch of this repository.");
            return new Answers(List.of(), List.of(), List.of());
        }
        terminal.progress(
                "Plan preview is ordered (commands %s); waiting for %d agent%s."
                        .formatted(
                                String.join(", ", commands),
                                commands.size(),
                                commands.size() == 1 ? "" : "s"));
        var results =
                GetPlanPreviewResultsRequest.newBuilder()
                        .addAllCommands(commands)
                        .setCommandHandleTimeout(request.getTimeout())
                        .build();
        var look = new Look(api, terminal);
        do {
            var ready = look.at(a -> ready(a, results)).flatMap(found -> found);
            if (ready.isPresent()) return Answers.of(ready.get(), labelKeys);
        } while (patience.pause());
        throw new Problem(
                Code.PRECONDITION_FAILED,
                "plan preview: no result after %s (expected: an answer of %d agents)"
                        .formatted(Look.told(limit), commands.size()),
                "Check that the agents are online, or wait longer with --timeout.");
    }

    /// The control plane says that the results are not found until all are there.
    private static Optional<List<PlanPreviewCommandResult>> ready(
            ApiConnection api, GetPlanPreviewResultsRequest request) {
        try {
            return Optional.of(
                    api.ask(stub -> stub.getPlanPreviewResults(request)).getResultsList());
        } catch (Problem problem) {
            if (problem.code() == Code.NOT_FOUND) return Optional.empty();
            throw problem;
        }
    }

    /// Planned, failed, and the agents that failed as a whole.
    record Answers(
            List<ApplicationPlanPreviewResult> planned,
            List<ApplicationPlanPreviewResult> failed,
            List<PlanPreviewCommandResult> agents) {
        static Answers of(List<PlanPreviewCommandResult> results, List<String> labelKeys) {
            var byAgent =
                    results.stream()
                            .sorted(Comparator.comparing(PlanPreviewCommandResult::getPipedId))
                            .toList();
            var applications =
                    byAgent.stream()
                            .filter(result -> result.getError().isEmpty())
                            .flatMap(result ->
                                    result.getResultsList().stream().sorted(order(labelKeys)))
                            .toList();
            return new Answers(
                    applications.stream().filter(each -> each.getError().isEmpty()).toList(),
                    applications.stream().filter(each -> !each.getError().isEmpty()).toList(),
                    byAgent.stream().filter(result -> !result.getError().isEmpty()).toList());
        }

        /// Of those of one agent.
        private static Comparator<ApplicationPlanPreviewResult> order(List<String> labelKeys) {
            Comparator<ApplicationPlanPreviewResult> order = (_, _) -> 0;
            for (var key : labelKeys)
                order = order.thenComparing(each -> each.getLabelsOrDefault(key, ""));
            return order.thenComparing(ApplicationPlanPreviewResult::getApplicationName);
        }
    }
}
