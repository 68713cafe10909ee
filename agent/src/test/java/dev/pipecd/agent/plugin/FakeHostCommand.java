// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/// How a fake host is started: with an archive of its classes, since loading them anew for every
/// host would be most of the processor time of these tests.
final class FakeHostCommand {
    private static final Path FOLDER = Path.of("target", "fake-host").toAbsolutePath();
    private static final Path ARCHIVE = FOLDER.resolve("classes.jsa");
    private static final List<String> COMMAND = prepare();

    private FakeHostCommand() {}

    static List<String> get() {
        return COMMAND;
    }

    private static List<String> prepare() {
        var path =
                Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                        .map(Path::of)
                        .toList();
        // An archive knows jars only.
        var jars =
                path.stream()
                        .map(part -> Files.isDirectory(part) ? jar(path.indexOf(part)) : part)
                        .toList();
        try {
            if (!isFresh(path)) {
                Files.createDirectories(FOLDER);
                Files.deleteIfExists(ARCHIVE);
                for (var part : path)
                    if (Files.isDirectory(part)) pack(part, jar(path.indexOf(part)));
                learn(jars);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return java("-XX:SharedArchiveFile=" + ARCHIVE, jars);
    }

    private static Path jar(int number) {
        return FOLDER.resolve(number + ".jar");
    }

    private static boolean isFresh(List<Path> path) throws IOException {
        if (!Files.exists(ARCHIVE)) return false;
        var made = Files.getLastModifiedTime(ARCHIVE);
        for (var part : path) if (newest(part).compareTo(made) >= 0) return false;
        return true;
    }

    private static FileTime newest(Path part) throws IOException {
        try (var files = Files.walk(part)) {
            return files.map(FakeHostCommand::modified)
                    .max(Comparator.naturalOrder())
                    .orElseThrow();
        }
    }

    private static FileTime modified(Path file) {
        try {
            return Files.getLastModifiedTime(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void pack(Path folder, Path jar) throws IOException {
        var ended =
                ToolProvider.findFirst("jar")
                        .orElseThrow()
                        .run(
                                System.out,
                                System.err,
                                "--create",
                                "--no-compress",
                                "--no-manifest",
                                "--file=" + jar,
                                "-C",
                                folder.toString(),
                                ".");
        if (ended != 0) throw new IOException(folder + " cannot be packed");
    }

    private static void learn(List<Path> jars) throws IOException {
        var command = new ArrayList<>(java("-XX:ArchiveClassesAtExit=" + ARCHIVE, jars));
        command.addAll(List.of("learn", FOLDER.toString()));
        try {
            new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(FOLDER.resolve("learn.log").toFile())
                    .start()
                    .waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// A host whose archive could not be made starts without it, only slower.
    private static List<String> java(String archive, List<Path> jars) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:disable",
                "-Xlog:all=error:stderr",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                archive,
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                String.join(File.pathSeparator, jars.stream().map(Path::toString).toList()),
                FakePluginHost.class.getName());
    }
}
