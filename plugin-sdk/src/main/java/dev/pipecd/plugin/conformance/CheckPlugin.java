// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.conformance;

import dev.pipecd.config.launch.Logging;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `piped check-plugin FILE`: looks at a plugin and prints the report; exit code 1 when a rule is
/// broken.
@Command(
        name = "check-plugin",
        description = "Runs a plugin, of whatever language, through what agents rely on.")
@SuppressWarnings("NullAway.Init") // picocli sets them before anything is called
public final class CheckPlugin implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The plugin: one executable file.")
    private Path file;

    @Option(names = "--name", description = "Its name, as the agent's configuration would have it.")
    private String name = "";

    @Option(
            names = "--plugin-config",
            paramLabel = "JSON",
            description = "Its `config` in the agent's configuration.")
    private String config = "{}";

    @Option(
            names = "--target",
            paramLabel = "NAME=JSON",
            description = "A deploy target and its `config`; may be given more than once.")
    private List<String> targets = List.of();

    @Option(
            names = "--tool",
            paramLabel = "NAME=FILE",
            description = "A program that the plugin asks for, if it is not on the PATH.")
    private List<String> tools = List.of();

    @Option(
            names = "--stage",
            paramLabel = "NAME=JSON",
            description = "A stage that succeeds at once, and its options.")
    private List<String> quick = List.of();

    @Option(
            names = "--long-stage",
            paramLabel = "NAME=JSON",
            description = "A stage that takes minutes, and its options.")
    private List<String> lasting = List.of();

    @Option(
            names = "--application",
            paramLabel = "DIR",
            description = "Files of an application to deploy; an empty folder otherwise.")
    private Path application = Path.of("");

    /// Exit code 0: nothing is broken; 1: a rule is.
    @Override
    public Integer call() throws IOException, InterruptedException {
        Logging.silence();
        if (!Files.isExecutable(file))
            throw new ParameterException(
                    spec.commandLine(), file + ": not executable (expected: a program)");
        var folder = Files.createTempDirectory("check-plugin");
        try {
            var launcher = new ProcessLauncher(file, folder, Map.of());
            var report = Conformance.of(launcher, trial(folder), Limits.USUAL);
            spec.commandLine().getOut().print(report.text());
            spec.commandLine().getOut().flush();
            return report.broken().isEmpty() ? 0 : 1;
        } finally {
            remove(folder);
        }
    }

    private static void remove(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (var each : files.sorted(Comparator.reverseOrder()).toList())
                Files.deleteIfExists(each);
        }
    }

    private Trial trial(Path folder) {
        var named = name.isEmpty() ? String.valueOf(file.getFileName()) : name;
        var files = application.toString().isEmpty() ? folder : application.toAbsolutePath();
        var programs = new LinkedHashMap<String, Path>();
        pairs(tools)
                .forEach((tool, program) -> programs.put(tool, Path.of(program).toAbsolutePath()));
        return new Trial(
                named, config, pairs(targets), programs, files, samples(quick), samples(lasting));
    }

    private List<Trial.Sample> samples(List<String> written) {
        return pairs(written).entrySet().stream()
                .map(entry -> new Trial.Sample(entry.getKey(), entry.getValue()))
                .toList();
    }

    private Map<String, String> pairs(List<String> written) {
        var pairs = new LinkedHashMap<String, String>();
        for (var pair : written) {
            var equals = pair.indexOf('=');
            if (equals < 1)
                throw new ParameterException(spec.commandLine(), pair + " (expected: NAME=VALUE)");
            pairs.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return pairs;
    }
}
