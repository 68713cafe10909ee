// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.migrate;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import dev.pipecd.wire.api.GetApplicationRequest;
import dev.pipecd.wire.api.UpdateApplicationDeployTargetsRequest;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.DeployTargets;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `pipectl migrate database`.
@Command(
        name = "database",
        customSynopsis = "pipectl migrate database --applications ID,... [FLAGS]",
        description =
                "Gives applications of agents with built-in platforms the deploy target that agents with plugins want: their platform provider. Those that have targets are left as they are.",
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExample:%n",
        footer = "  pipectl migrate database --applications ID,ID ...")
public final class MigrateDatabaseCommand implements Callable<Integer> {
    private final ConnectionFlags connection;
    private final Terminal terminal;

    @Option(
            names = "--applications",
            paramLabel = "ID",
            split = ",",
            required = true,
            description = "The applications' ids. Required.")
    List<String> ids = List.of();

    public MigrateDatabaseCommand(ConnectionFlags connection, Terminal terminal) {
        this.connection = connection;
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        var failed = 0;
        try (var api = connection.open(terminal)) {
            for (var id : ids)
                try {
                    terminal.result(id + ": " + migrated(api, id));
                } catch (Problem problem) {
                    failed++;
                    terminal.progress("Error: " + Printable.text(problem.told()));
                }
        }
        return failed == 0 ? 0 : 1;
    }

    @SuppressWarnings("deprecation") // kind and provider are what is migrated
    private static String migrated(ApiConnection api, String id) {
        var ask = GetApplicationRequest.newBuilder().setApplicationId(id).build();
        var application = api.ask(stub -> stub.getApplication(ask)).getApplication();
        if (!application.getDeployTargetsByPluginMap().isEmpty())
            return "has deploy targets already";
        var provider = application.getPlatformProvider();
        if (provider.isEmpty())
            throw new Problem(
                    Code.PRECONDITION_FAILED,
                    "application: %s has no platform provider (expected: one to make a deploy target of)"
                            .formatted(id),
                    "Give it its deploy targets by the API: UpdateApplicationDeployTargets.");
        var plugin = plugin(application);
        var request =
                UpdateApplicationDeployTargetsRequest.newBuilder()
                        .setApplicationId(id)
                        .putDeployTargetsByPlugin(
                                plugin,
                                DeployTargets.newBuilder().addDeployTargets(provider).build())
                        .build();
        api.ask(stub -> stub.updateApplicationDeployTargets(request));
        return "now deployed by " + plugin + " to " + provider;
    }

    @SuppressWarnings("deprecation") // old agents know the kind
    private static String plugin(Application application) {
        return switch (application.getKind()) {
            case KUBERNETES -> "kubernetes";
            case TERRAFORM -> "terraform";
            case LAMBDA -> "lambda";
            case CLOUDRUN -> "cloudrun";
            case ECS -> "ecs";
            case UNRECOGNIZED ->
                    throw new Problem(
                            Code.PRECONDITION_FAILED,
                            "kind: %d of application %s (expected: one of KUBERNETES, TERRAFORM, LAMBDA, CLOUDRUN, ECS)"
                                    .formatted(application.getKindValue(), application.getId()),
                            "Use a newer pipectl.");
        };
    }
}
