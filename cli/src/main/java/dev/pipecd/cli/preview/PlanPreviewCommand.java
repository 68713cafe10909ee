// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.preview;

import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.flag.LengthOfTime;
import dev.pipecd.cli.flag.OutputFlag;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.wire.api.RequestPlanPreviewRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `pipectl plan-preview`.
@Command(
        name = "plan-preview",
        customSynopsis =
                "pipectl plan-preview --repo-remote-url URL --head-branch NAME --head-commit HASH --base-branch NAME [FLAGS]",
        description =
                "Lets the agents that watch a repository tell what a change would do if it were merged, and shows it.",
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExample:%n",
        footer = {
            "  pipectl plan-preview --repo-remote-url git@example.com:org/repo.git --base-branch main \\",
            "      --head-branch change --head-commit HASH --out preview.json ..."
        })
public final class PlanPreviewCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin OutputFlag output = new OutputFlag();

    @Option(
            names = "--repo-remote-url",
            paramLabel = "URL",
            required = true,
            description = "The repository, written as in the agent's configuration. Required.")
    String remote = "";

    @Option(
            names = "--head-branch",
            paramLabel = "NAME",
            required = true,
            description = "The branch with the change. Required.")
    String headBranch = "";

    @Option(
            names = "--head-commit",
            paramLabel = "HASH",
            required = true,
            description = "The last commit of the change. Required.")
    String headCommit = "";

    @Option(
            names = "--base-branch",
            paramLabel = "NAME",
            required = true,
            description = "The branch it would be merged into. Required.")
    String baseBranch = "";

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "Writes the result there too, as JSON of the public form.")
    String out = "";

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = LengthOfTime.class,
            description = "Gives up after this time. Default: 10m.")
    Duration limit = Duration.ofMinutes(10);

    @Option(
            names = "--piped-handle-timeout",
            paramLabel = "TIME",
            converter = LengthOfTime.class,
            description = "How long an agent may take. Default: 5m.")
    Duration pipedLimit = Duration.ofMinutes(5);

    @Option(
            names = "--sort-label-keys",
            paramLabel = "KEY",
            split = ",",
            description =
                    "Sorts the applications of each agent by these labels, then by name; without, by name alone.")
    List<String> sortKeys = List.of();

    @Mixin ConnectionFlags connection = new ConnectionFlags();

    public PlanPreviewCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        var request =
                RequestPlanPreviewRequest.newBuilder()
                        .setRepoRemoteUrl(remote)
                        .setHeadBranch(headBranch)
                        .setHeadCommit(headCommit)
                        .setBaseBranch(baseBranch)
                        .setTimeout(pipedLimit.toSeconds())
                        .build();
        var file = Optional.of(out).filter(given -> !given.isEmpty()).map(OutFile::of);
        // Before anything is ordered: a preview must not fail at its last line.
        file.ifPresent(OutFile::check);
        try (var api = connection.open(terminal)) {
            var answers = new Previews(api, terminal, limit).of(request, sortKeys);
            if (output.format().forPrograms())
                terminal.out().println(output.format().ofJson(PreviewJson.of(answers)));
            else PreviewText.lines(answers).forEach(terminal.out()::println);
            file.ifPresent(each -> each.write(PreviewJson.of(answers)));
        }
        return 0;
    }
}
