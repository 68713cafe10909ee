// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import dev.pipecd.cli.show.Terminal;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `pipectl completion`: the script that makes a shell complete commands and flags.
@Command(
        name = "completion",
        description = "Prints the script that makes a shell complete pipectl's commands and flags.",
        sortOptions = false,
        parameterListHeading = "%n",
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExamples:%n",
        footer = {"  source <(pipectl completion bash)", "  source <(pipectl completion zsh)"})
final class CompletionCommand implements Callable<Integer> {
    enum Shell {
        BASH,
        ZSH
    }

    private final CommandLine pipectl;
    private final Terminal terminal;

    /// One script serves both: it turns on zsh's own bash completion when it finds itself there.
    @Parameters(paramLabel = "bash|zsh", description = "The shell.")
    Shell shell = Shell.BASH;

    CompletionCommand(CommandLine pipectl, Terminal terminal) {
        this.pipectl = pipectl;
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        terminal.out().print(AutoComplete.bash("pipectl", pipectl));
        return 0;
    }
}
