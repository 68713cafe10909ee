// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.StageStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// One application of an installation, and what is seen of it.
record App(Installation at, String id, String name) {
    /// Where the application's scripts leave a line each time one is started.
    static Path marks(Installation at, String name) {
        return at.dir().resolve("marks-" + name);
    }

    /// A script that leaves a mark and then says numbered lines, ten a second.
    static String counting(Installation at, String name, String script, int lines) {
        return """
        echo %s >>'%s'
        i=1
        while [ $i -le %d ]; do echo "%s line $i"; i=$((i+1)); sleep 0.1; done
        """
                .formatted(script, marks(at, name), lines, script);
    }

    static String marking(Installation at, String name, String script) {
        return "echo %s >>'%s'\necho '%s ran'".formatted(script, marks(at, name), script);
    }

    static List<String> lines(String script, int count) {
        return java.util.stream.IntStream.rangeClosed(1, count)
                .mapToObj(i -> script + " line " + i)
                .toList();
    }

    List<String> marks() {
        try {
            var file = marks(at, name);
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    void awaitMark(String script) {
        at.await(
                name + "'s script " + script + " to start",
                () -> marks().contains(script) ? Optional.of(script) : Optional.empty());
    }

    /// A commit that touches the application, told by the Git server's webhook.
    String push(String file, String text, String message) {
        var hash = at.repository().commit(name + "/" + file, text, message);
        at.repository().tell();
        return hash;
    }

    Application seen() {
        return at.person().application(id);
    }

    Application await(String what, Predicate<Application> wanted) {
        return at.await(name + ": " + what, () -> Optional.of(seen()).filter(wanted));
    }

    Deployment first() {
        return after();
    }

    /// The deployment that is none of those known before.
    Deployment after(Deployment... before) {
        var known = Arrays.stream(before).map(Deployment::getId).toList();
        return at.await(
                "another deployment of " + name,
                () ->
                        at.person().deployments(id).stream()
                                .filter(found -> !known.contains(found.getId()))
                                .findFirst());
    }

    Deployment await(Deployment deployment, String what, Predicate<Deployment> wanted) {
        return at.await(
                "%s of %s, deployment %s".formatted(what, name, deployment.getId()),
                () -> Optional.of(at.person().deployment(deployment.getId())).filter(wanted));
    }

    Deployment awaitStage(Deployment deployment, int stage, StageStatus status) {
        return await(
                deployment,
                "stage %d being %s".formatted(stage, status),
                d ->
                        d.getStagesCount() > stage
                                && (d.getStages(stage).getStatus() == status || over(d)));
    }

    Deployment awaitEnd(Deployment deployment) {
        return await(deployment, "the end", App::over);
    }

    static boolean over(Deployment deployment) {
        return switch (deployment.getStatus()) {
            case DEPLOYMENT_SUCCESS, DEPLOYMENT_FAILURE, DEPLOYMENT_CANCELLED -> true;
            case DEPLOYMENT_PENDING,
                    DEPLOYMENT_PLANNED,
                    DEPLOYMENT_RUNNING,
                    DEPLOYMENT_ROLLING_BACK,
                    UNRECOGNIZED ->
                    false;
        };
    }

    /// What a script said, as the control plane has it.
    List<String> log(Deployment deployment, int stage) {
        return at.person().log(deployment, stage).stream()
                .map(LogBlock::getLog)
                .flatMap(String::lines)
                .toList();
    }

    List<String> log(Deployment deployment, int stage, String script) {
        return log(deployment, stage).stream()
                .filter(line -> line.startsWith(script + " line "))
                .toList();
    }

    static String outcome(Deployment deployment) {
        return deployment.getMetadataV2().getShared().getKeyValuesOrDefault("pipecd/outcome", "");
    }

    /// Status and outcome in one line, so that a failing test tells both.
    static String told(Deployment deployment) {
        return deployment.getStatus() + " " + outcome(deployment);
    }

    static String ended(DeploymentStatus status, String outcome) {
        return status + " " + outcome;
    }
}
