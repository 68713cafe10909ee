// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.migrate;

import dev.pipecd.cli.flag.CalledWrongly;
import dev.pipecd.cli.show.FileTrouble;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `pipectl migrate application-config`.
@Command(
        name = "application-config",
        customSynopsis = {
            "pipectl migrate application-config --config-files FILE,...",
            "pipectl migrate application-config --dirs FOLDER,..."
        },
        description = {
            "Rewrites application configurations of the old kinds (KubernetesApp and so on) for agents with plugins. Comments and order stay; the file as it was is kept beside it, as FILE.old.",
            "Whether a failed deployment is rolled back stays as it was: planner.autoRollback is added where the old kinds had another default or an own setting.",
            "Needs no control plane: the flags of the connection mean nothing here."
        },
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  pipectl migrate application-config --config-files apps/site/app.pipecd.yaml",
            "  pipectl migrate application-config --dirs apps,infra"
        })
public final class MigrateApplicationConfigCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Option(
            names = "--config-files",
            paramLabel = "FILE",
            split = ",",
            description = "The files to rewrite. Default: none; either these or --dirs.")
    List<String> files = List.of();

    @Option(
            names = "--dirs",
            paramLabel = "FOLDER",
            split = ",",
            description =
                    "Rewrites every app.pipecd.yaml, *.pipecd.yaml and .pipe.yaml below these folders. Default: none; either these or --config-files.")
    List<String> folders = List.of();

    public MigrateApplicationConfigCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (files.isEmpty() == folders.isEmpty())
            throw new CalledWrongly(
                    "--config-files: %s (expected: either --config-files or --dirs)"
                            .formatted(files.isEmpty() ? "missing" : "with --dirs"));
        var failed = 0;
        for (var file : files.isEmpty() ? below() : files.stream().map(Path::of).toList()) {
            try {
                terminal.result(file + ": " + ConfigFile.migrate(file));
            } catch (Problem problem) {
                failed++;
                terminal.progress("Error: " + Printable.text(problem.told()));
            }
        }
        return failed == 0 ? 0 : 1;
    }

    private List<Path> below() {
        var found = new ArrayList<Path>();
        for (var folder : folders) {
            try (var paths = Files.walk(Path.of(folder))) {
                paths.filter(MigrateApplicationConfigCommand::isConfig)
                        .sorted()
                        .forEach(found::add);
            } catch (IOException e) {
                throw unreadable(folder, e);
            } catch (UncheckedIOException e) {
                throw unreadable(folder, Objects.requireNonNull(e.getCause()));
            }
        }
        return found;
    }

    private static Problem unreadable(String folder, IOException trouble) {
        return new Problem(
                Code.SETTING_INVALID,
                "--dirs: %s (expected: a folder that can be read)".formatted(folder),
                FileTrouble.advice(trouble),
                trouble);
    }

    private static boolean isConfig(Path path) {
        var name = String.valueOf(path.getFileName());
        return (name.endsWith(".pipecd.yaml") || name.equals(".pipe.yaml"))
                && Files.isRegularFile(path)
                && !path.toString().contains("/.git/");
    }
}
