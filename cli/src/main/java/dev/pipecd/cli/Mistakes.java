// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import dev.pipecd.cli.flag.CalledWrongly;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.config.launch.WrongCall;
import dev.pipecd.domain.Problem;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// What people read when it did not work: one sentence and what to do, never a stack trace.
final class Mistakes {
    private Mistakes() {}

    static int inUsage(ParameterException mistake, String[] args) {
        return WrongCall.explain("Error: ", mistake, args);
    }

    private static int pointToHelp(CommandLine command) {
        command.getErr().println("See `" + command.getCommandSpec().qualifiedName() + " --help`.");
        return CommandLine.ExitCode.USAGE;
    }

    static int inRun(Exception failure, CommandLine command, ParseResult args) {
        command.getErr().println("Error: " + Printable.text(told(failure)));
        return failure instanceof CalledWrongly
                ? pointToHelp(command)
                : CommandLine.ExitCode.SOFTWARE;
    }

    private static String told(Exception failure) {
        return switch (failure) {
            case Problem problem -> problem.told();
            case CalledWrongly mistake -> String.valueOf(mistake.getMessage());
            case InterruptedException _ -> "interrupted.";
            default -> "internal error: " + failure;
        };
    }
}
