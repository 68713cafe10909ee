// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host.role;

import dev.pipecd.domain.Problem;
import dev.pipecd.plugin.platform.DeploymentPlugin;
import dev.pipecd.plugin.stage.DeployTarget;
import dev.pipecd.plugin.stage.DeploymentFacts;
import dev.pipecd.plugin.stage.Source;
import dev.pipecd.plugin.stage.StageOwner;
import dev.pipecd.plugin.stage.Surroundings;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.plugin.common.DeploymentSource;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/// A plugin as the agent's configuration names and equips it. `around` gives what is around an
/// application, by its id.
public record Served(
        StageOwner plugin,
        String name,
        List<DeployTarget> targets,
        Function<String, Surroundings> around) {
    public Served {
        targets = List.copyOf(targets);
    }

    /// What is to be planned.
    Asked planning(Deployment deployment, DeploymentSource target, DeploymentSource running) {
        var facts = facts(deployment);
        return new Asked(
                around.apply(facts.application().id()),
                facts,
                source(target),
                running(running).stream().toList(),
                targets(deployment));
    }

    /// What is looked at outside of any deployment.
    Asked look(
            String application,
            String applicationName,
            DeploymentSource target,
            DeploymentSource running,
            Collection<String> wanted) {
        if (wanted.isEmpty()) throw invalid("deploy_targets: none (expected: at least one)");
        var facts =
                new DeploymentFacts(
                        "",
                        new DeploymentFacts.Application(
                                application, applicationName, "", "", Map.of()),
                        new DeploymentFacts.Trigger(target.getCommitHash(), "", Instant.EPOCH),
                        "");
        return new Asked(
                around.apply(application),
                facts,
                source(target),
                running(running).stream().toList(),
                targets(wanted));
    }

    private Source source(DeploymentSource wire) {
        return source(wire, _ -> {});
    }

    /// @param passedOver hears of what the application's file says to nobody
    public Source source(DeploymentSource wire, Consumer<String> passedOver) {
        return new HostedSource(name, plugin.name(), wire, passedOver);
    }

    /// None when the agent sent none, as before a first deployment.
    public Optional<Source> running(DeploymentSource wire) {
        return wire.getApplicationDirectory().isEmpty() && wire.getCommitHash().isEmpty()
                ? Optional.empty()
                : Optional.of(source(wire));
    }

    public List<DeployTarget> targets(Deployment deployment) {
        var wanted = deployment.getDeployTargetsByPluginMap().get(name);
        return wanted == null ? List.of() : targets(wanted.getDeployTargetsList());
    }

    /// What deploys and is given nowhere to deploy to would change nothing and call it a success.
    public void requireTargets(Deployment deployment) {
        if (plugin instanceof DeploymentPlugin && targets(deployment).isEmpty())
            throw invalid("deploy targets of %s: none (expected: at least one)".formatted(name));
    }

    /// A name nobody configured is told, not passed over: what is meant for it would reach nothing.
    private List<DeployTarget> targets(Collection<String> wanted) {
        return wanted.stream().map(this::target).toList();
    }

    private DeployTarget target(String wanted) {
        return targets.stream()
                .filter(target -> target.name().equals(wanted))
                .findFirst()
                .orElseThrow(() ->
                        invalid(
                                "deploy target: \"%s\" (expected: one of %s)"
                                        .formatted(
                                                wanted,
                                                targets.stream()
                                                        .map(DeployTarget::name)
                                                        .toList())));
    }

    private Problem invalid(String message) {
        return new Problem(
                Problem.Code.REQUEST_INVALID,
                message,
                "Name the application's deploy targets as the agent's `plugins:` does.");
    }

    /// From the protocol's words to the author's.
    public static DeploymentFacts facts(Deployment deployment) {
        var trigger = deployment.getTrigger();
        var application =
                new DeploymentFacts.Application(
                        deployment.getApplicationId(),
                        deployment.getApplicationName(),
                        deployment.getProjectId(),
                        deployment.getGitPath().getRepo().getRemote(),
                        deployment.getLabelsMap());
        var cause =
                new DeploymentFacts.Trigger(
                        trigger.getCommit().getHash(),
                        trigger.getCommander(),
                        Instant.ofEpochSecond(trigger.getTimestamp()));
        return new DeploymentFacts(deployment.getId(), application, cause, deployment.getSummary());
    }
}
