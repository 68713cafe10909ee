// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The scripts of the distribution, before a `java` that tells what it is called with.
final class LaunchersTest {
    @TempDir private Path home;

    @BeforeEach
    void install() throws IOException {
        for (var file :
                List.of(
                        "bin/controlplane",
                        "bin/pipecd",
                        "bin/pipectl",
                        "bin/piped",
                        "libexec/launch"))
            executable(file, Files.readString(Path.of("src/dist", file)));
        executable("libexec/find-jdk", "#!/bin/sh\necho \"%s\"\n".formatted(home.resolve("jdk")));
        executable("jdk/bin/java", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        executable("jdk/release", "JAVA_RUNTIME_VERSION=\"25\"\n");
        for (var program : List.of("pipecd", "piped", "pipectl"))
            executable("lib/%s.parts".formatted(program), "jars=one.jar digest=d\n");
    }

    private void executable(String path, String text) throws IOException {
        var file = home.resolve(path);
        Files.createDirectories(file.resolveSibling(""));
        assertThat(Files.writeString(file, text).toFile().setExecutable(true)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "pipecd, dev.pipecd.app.Pipecd",
        "controlplane, dev.pipecd.app.Pipecd",
        "piped, dev.pipecd.app.Piped",
        "pipectl, dev.pipecd.cli.Pipectl"
    })
    void everyNameStartsItsProgramWithItsArgumentsAsTheyAre(String name, String main)
            throws Exception {
        assertThat(called(name, "server", "--config-file=a b", "*", ""))
                .containsSubsequence(
                        "-cp",
                        home.resolve("lib/one.jar").toString(),
                        main,
                        "server",
                        "--config-file=a b",
                        "*",
                        "");
    }

    @Test
    void aLinkToAProgramFindsItsDistribution() throws Exception {
        var link =
                Files.createSymbolicLink(
                        Files.createDirectory(home.resolve("elsewhere")).resolve("cp"),
                        home.resolve("bin/controlplane"));

        assertThat(run(link, "ops")).contains("dev.pipecd.app.Pipecd", "ops");
    }

    private List<String> called(String name, String... args) throws Exception {
        return run(home.resolve("bin").resolve(name), args);
    }

    private List<String> run(Path program, String... args) throws Exception {
        var command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(args));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said.lines().toList();
    }
}
