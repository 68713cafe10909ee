// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/// `pipectl` itself: says what there is.
@Command(
        name = "pipectl",
        customSynopsis = "pipectl COMMAND [FLAGS]",
        description = "Looks after applications and deployments of a PipeCD control plane.",
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:it failed; the reason is on standard error",
            "2:called wrongly",
            "3:a deployment that was followed failed (deliver, --watch)",
            "4:a deployment that was followed was cancelled (deliver, --watch)",
            "5:the time was up before what is followed had begun, ended and shown its logs (deliver, --watch)"
        },
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  pipectl application list --address localhost:8080 --api-key-file api-key --insecure",
            "  pipectl application sync --app-id ID --wait-status SUCCESS ...",
            "  pipectl deployment logs --deployment-id ID --follow ...",
            "  pipectl deliver --event image-built --data v1.2.3 --labels app=site ...",
            "",
            "... stands for the flags of the connection; PIPECTL_ADDRESS and PIPECTL_API_KEY in the environment do as well.",
            "Not offered: a quickstart (`pipecd quickstart` starts one), and completion for shells other than bash and zsh.",
            "`pipectl COMMAND --help` or `pipectl help COMMAND` tells more about a command."
        })
final class RootCommand {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Shows this text.")
    boolean help;

    // Flags that every public binary takes. They mean nothing to a command line that writes no log,
    // but scripts carry them.
    @Option(names = "--log-level", hidden = true, scope = ScopeType.INHERIT)
    String logLevel = "info";

    @Option(names = "--log-encoding", hidden = true, scope = ScopeType.INHERIT)
    String logEncoding = "humanize";

    @Option(
            names = "--metrics",
            hidden = true,
            arity = "0..1",
            fallbackValue = "true",
            scope = ScopeType.INHERIT)
    boolean metrics = true;

    @Option(
            names = "--profile",
            hidden = true,
            arity = "0..1",
            fallbackValue = "true",
            scope = ScopeType.INHERIT)
    boolean profile;

    @Option(
            names = "--profile-debug-logging",
            hidden = true,
            arity = "0..1",
            fallbackValue = "true",
            scope = ScopeType.INHERIT)
    boolean profileDebugLogging;

    @Option(names = "--profiler-credentials-file", hidden = true, scope = ScopeType.INHERIT)
    String profilerCredentialsFile = "";
}
