// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.task;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import dev.pipecd.wire.api.GetDeploymentRequest;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// `pipectl deployment wait-status`: until a deployment is where it should be, or cannot get there
/// any more.
public final class DeploymentWait {
    private static final Set<DeploymentStatus> FINAL =
            Set.of(
                    DeploymentStatus.DEPLOYMENT_SUCCESS,
                    DeploymentStatus.DEPLOYMENT_FAILURE,
                    DeploymentStatus.DEPLOYMENT_CANCELLED);

    private final ApiConnection api;
    private final Terminal terminal;
    private final Map<String, String> told = new HashMap<>();

    public DeploymentWait(ApiConnection api, Terminal terminal) {
        this.api = api;
        this.terminal = terminal;
    }

    /// The statuses are public names, `DEPLOYMENT_SUCCESS`.
    public void until(String id, Set<String> statuses, Duration interval, Duration limit)
            throws InterruptedException {
        until(id, statuses, new Patience(terminal, interval, limit), limit);
    }

    void until(String id, Set<String> statuses, Patience patience, Duration limit)
            throws InterruptedException {
        var look = new Look(api, terminal);
        var last = "not seen";
        do {
            var seen =
                    look.at(stub ->
                            stub.getDeployment(
                                    GetDeploymentRequest.newBuilder().setDeploymentId(id).build()));
            if (seen.isEmpty()) continue;
            var deployment = seen.get().getDeployment();
            last = Printable.status(deployment.getStatus());
            if (tellProgress(deployment)) patience.somethingChanged();
            if (statuses.contains(deployment.getStatus().name())) {
                terminal.out().println("Deployment " + id + " reached " + last);
                return;
            }
            if (over(deployment)) throw elsewhere(deployment, statuses);
        } while (patience.pause());
        throw new Problem(
                Code.PRECONDITION_FAILED,
                "deployment: %s is %s after %s (expected: %s)"
                        .formatted(id, last, Look.told(limit), names(statuses)),
                "Wait longer with --timeout, or see `pipectl deployment logs --deployment-id %s`."
                        .formatted(id));
    }

    static boolean over(Deployment deployment) {
        return FINAL.contains(deployment.getStatus());
    }

    private static Problem elsewhere(Deployment deployment, Set<String> statuses) {
        var reason =
                deployment.getStatusReason().isEmpty()
                        ? ""
                        : ": " + Printable.text(deployment.getStatusReason());
        return new Problem(
                Code.PRECONDITION_FAILED,
                "deployment: %s ended as %s (expected: %s)%s"
                        .formatted(
                                deployment.getId(),
                                Printable.status(deployment.getStatus()),
                                names(statuses),
                                reason),
                "See `pipectl deployment logs --deployment-id %s`.".formatted(deployment.getId()));
    }

    private static String names(Set<String> statuses) {
        return statuses.stream()
                .map(DeploymentStatus::valueOf)
                .sorted()
                .map(Printable::status)
                .collect(Collectors.joining(" or "));
    }

    private boolean tellProgress(Deployment deployment) {
        var changed =
                news(
                        "",
                        "Deployment %s is %s",
                        deployment.getId(),
                        Printable.status(deployment.getStatus()));
        for (var stage : deployment.getStagesList())
            if (begun(stage))
                changed |=
                        news(
                                stage.getId(),
                                "  stage %s is %s",
                                Printable.text(stage.getName()),
                                Printable.status(stage.getStatus()));
        return changed;
    }

    private static boolean begun(PipelineStage stage) {
        return stage.getStatus() != StageStatus.STAGE_NOT_STARTED_YET;
    }

    private boolean news(String of, String form, String name, String status) {
        if (status.equals(told.put(of, status))) return false;
        terminal.progress(form.formatted(name, status));
        return true;
    }
}
