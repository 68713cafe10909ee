// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deliver;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.event.EventFlags;
import dev.pipecd.cli.flag.CalledWrongly;
import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.flag.LengthOfTime;
import dev.pipecd.cli.flag.OutputFlag;
import dev.pipecd.cli.flag.Several;
import dev.pipecd.cli.show.FileTrouble;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `pipectl deliver`.
@Command(
        name = "deliver",
        customSynopsis = {
            "pipectl deliver --app-id ID,... [FLAGS]",
            "pipectl deliver --event NAME --data TEXT [FLAGS]"
        },
        description = {
            "The last step of a CI pipeline: syncs applications, or registers an event, follows the deployments that come of it with their logs, and exits by their outcome.",
            "The deployments of an event are found by the commit: that of --commit-hash, or the one the CI system tells (GitHub, GitLab, Buildkite, CircleCI, Bitbucket, Jenkins). Give --app-id beside --event to wait for exactly these applications; without it, those that are found first count.",
            "What cannot be ordered, or does not begin, does not keep the rest from being followed. The exit code is then that of the worst: 3, 1, 5 or 4."
        },
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every deployment succeeded",
            "1:it could not be ordered, or the agent refused it; the reason is on standard error",
            "2:called wrongly",
            "3:a deployment failed; it may have been rolled back",
            "4:a deployment was cancelled",
            "5:the time was up before all had begun, ended and shown their logs; the deployments go on"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  pipectl deliver --app-id ID --timeout 20m ...",
            "  pipectl deliver --event image-built --data v1.2.3 --labels app=site --app-id ID ..."
        })
public final class DeliverCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin OutputFlag output = new OutputFlag();

    @Option(
            names = "--app-id",
            paramLabel = "ID",
            split = ",",
            description = "The applications to sync, or to wait for beside --event.")
    List<String> applications = List.of();

    @Option(
            names = "--event",
            paramLabel = "NAME",
            description = "Registers an event of this name instead of syncing.")
    String event = "";

    @Mixin EventFlags flags = new EventFlags();

    @Option(
            names = "--logs",
            arity = "0..1",
            paramLabel = "true|false",
            fallbackValue = "true",
            description =
                    "Shows what the stages write. Default: true, but not with -o json or yaml.")
    boolean logs = true;

    @Option(
            names = "--start-timeout",
            paramLabel = "TIME",
            converter = LengthOfTime.class,
            description =
                    "Gives up what has not begun after this time. Default: 10m, and 2m once an event is carried into Git.")
    Duration startLimit = Duration.ZERO;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = LengthOfTime.class,
            description =
                    "Gives up after this time, from the beginning, whether it has begun or not. Default: 1h.")
    Duration limit = Duration.ofHours(1);

    @Option(
            names = "--summary",
            paramLabel = "FILE",
            description =
                    "Appends a summary in Markdown there. Default: where GITHUB_STEP_SUMMARY says.")
    String summary = "";

    @Mixin ConnectionFlags connection = new ConnectionFlags();

    public DeliverCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        var ci = new Ci(terminal.environment());
        if (event.isEmpty() && applications.isEmpty())
            throw new CalledWrongly(
                    "--app-id: missing (expected: applications to sync, or --event with an event to register)");
        if (applications.size() != Several.of(applications).size())
            throw new CalledWrongly("--app-id: empty (expected: the ids of applications)");
        if (event.isEmpty()) flags.requireNone();
        var page = summary.isEmpty() ? ci.summary() : Optional.of(Path.of(summary));
        // Before anything is ordered: a delivery must not fail at its last line.
        page.ifPresent(file -> append(file, ""));
        try (var api = opened(page)) {
            var delivery =
                    new Delivery(
                            api,
                            terminal,
                            startLimit.isZero()
                                    ? Delivery.Start.USUAL
                                    : Delivery.Start.within(startLimit),
                            limit,
                            logs && !output.format().forPrograms());
            try {
                var code = delivered(delivery, ci);
                if (output.format().forPrograms())
                    terminal.result(output.format().of(delivery.deployments()));
                return code;
            } finally {
                page.ifPresent(file -> append(file, delivery.summary()));
            }
        }
    }

    private ApiConnection opened(Optional<Path> page) {
        try {
            return connection.open(terminal);
        } catch (Problem problem) {
            var failure = Failure.refused(what(), problem);
            page.ifPresent(file -> append(file, Summary.of(List.of(), List.of(failure))));
            throw problem;
        }
    }

    private String what() {
        return event.isEmpty() ? String.join(", ", applications) : event;
    }

    private int delivered(Delivery delivery, Ci ci) throws InterruptedException {
        return event.isEmpty()
                ? delivery.sync(applications)
                : delivery.event(EventOrder.of(flags.request(event), ci), applications);
    }

    private static void append(Path file, String text) {
        try {
            Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new Problem(
                    Code.SETTING_INVALID,
                    "--summary: %s (expected: a file that can be written)".formatted(file),
                    FileTrouble.advice(e),
                    e);
        }
    }
}
