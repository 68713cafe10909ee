// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import dev.pipecd.config.launch.WrongCall;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// The command line of `pipecd quickstart`.
@Command(
        name = "pipecd quickstart",
        description = "Starts a control plane, an agent and a demo repository on this machine.",
        mixinStandardHelpOptions = true)
public final class QuickstartCommand implements Callable<Integer> {
    @Option(
            names = "--port",
            defaultValue = "8080",
            description = "Where the control plane listens. Default: ${DEFAULT-VALUE}")
    private int port;

    @Option(
            names = "--data",
            defaultValue = ".quickstart",
            description = "The folder that keeps everything. Default: ${DEFAULT-VALUE}")
    private Path data = Path.of(".quickstart");

    private final Path distribution;

    private QuickstartCommand(Path distribution) {
        this.distribution = distribution;
    }

    public static int run(Path distribution, String[] args) {
        return new CommandLine(new QuickstartCommand(distribution))
                .setParameterExceptionHandler((wrong, had) -> WrongCall.explain("", wrong, had))
                .execute(args);
    }

    @Override
    public Integer call() throws InterruptedException {
        var steps = new Steps(System.out, InstantSource.system());
        try {
            if (port < 1 || port > 65535) {
                throw new Problem(
                        Problem.Code.SETTING_INVALID,
                        "--port: %d (expected: 1 to 65535)".formatted(port),
                        "Choose another port.");
            }
            var place = new Place(data, port);
            var programs = new Programs(distribution, place);
            var settings = new Settings(place, new SecureRandom());
            return new Quickstart(place, settings, programs, steps).run();
        } catch (Problem problem) {
            System.err.println(problem.told());
        } catch (IOException e) {
            System.err.println("The quickstart cannot go on: " + e);
        }
        return 1;
    }
}
