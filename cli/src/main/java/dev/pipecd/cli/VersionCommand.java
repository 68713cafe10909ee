// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import dev.pipecd.cli.show.Terminal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Properties;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/// `pipectl version`: one line.
@Command(
        name = "version",
        description = "Shows which pipectl this is.",
        optionListHeading = "%nFlags:%n")
final class VersionCommand implements Callable<Integer> {
    private final Terminal terminal;

    VersionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        var build = new Properties();
        try (var file = VersionCommand.class.getResourceAsStream("version.properties")) {
            build.load(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        terminal.out()
                .println(
                        "Version: %s, GitCommit: %s, BuildDate: %s"
                                .formatted(
                                        build.getProperty("version"),
                                        build.getProperty("commit"),
                                        build.getProperty("date")));
        return 0;
    }
}
