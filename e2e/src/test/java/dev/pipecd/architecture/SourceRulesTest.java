// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Rules that only the files themselves can be asked about, each beside a fault that breaks it.
final class SourceRulesTest {
    private static final Path REPOSITORY = Path.of("..");

    @TempDir Path planted;

    @Test
    void everyFileBeginsWithItsLicence() throws Exception {
        assertThat(Sources.below(REPOSITORY).withoutLicence()).isEmpty();

        plant("m/src/main/java/Bare.java", "class Bare {}\n");

        assertThat(Sources.below(planted).withoutLicence()).hasSize(1);
    }

    @Test
    void filesHaveAtMost400Lines() throws Exception {
        assertThat(Sources.production(REPOSITORY).tooLongFiles()).isEmpty();

        var file = plant("m/src/main/java/Long.java", "//\n".repeat(401));

        assertThat(Sources.production(planted).tooLongFiles())
                .containsExactly(file + ": 401 lines (expected: at most 400)");
    }

    @Test
    void methodsHaveAtMost60Lines() throws Exception {
        assertThat(Sources.production(REPOSITORY).tooLongMethods()).isEmpty();

        var file =
                plant(
                        "m/src/main/java/Long.java",
                        "class Long { void works() {\n" + "int i;\n".repeat(59) + "} }\n");

        assertThat(Sources.production(planted).tooLongMethods())
                .containsExactly(file + " works: 61 lines (expected: at most 60)");
    }

    @Test
    void nothingTakesMoreThan7Arguments() throws Exception {
        assertThat(Sources.production(REPOSITORY).tooManyArguments()).isEmpty();

        var fields = IntStream.range(0, 8).mapToObj(i -> "int f" + i);
        var file =
                plant(
                        "m/src/main/java/Wide.java",
                        fields.collect(
                                Collectors.joining(", ", "record Wide(", ") { static int g; }\n")));

        assertThat(Sources.production(planted).tooManyArguments())
                .containsExactly(file + " Wide: 8 arguments (expected: at most 7)");
    }

    @Test
    void packagesHaveAtMost25Types() throws Exception {
        assertThat(Sources.production(REPOSITORY).tooFullPackages()).isEmpty();

        for (int i = 0; i < 26; i++)
            plant("m/src/main/java/p/T" + i + ".java", "package p;\nclass T" + i + " {}\n");

        assertThat(Sources.production(planted).tooFullPackages())
                .containsExactly(
                        planted.resolve("m/src/main/java/p") + ": 26 types (expected: at most 25)");
    }

    @Test
    void modulesSeeOnlyWhatTheirArrowsAllow() throws Exception {
        assertThat(new Modules(REPOSITORY).breaches()).isEmpty();

        plant(
                "cli/pom.xml",
                """
                <project><artifactId>cli</artifactId><dependencies>
                  <dependency><groupId>dev.pipecd</groupId><artifactId>agent</artifactId></dependency>
                </dependencies></project>
                """);
        plant("common/pom.xml", "<project><artifactId>common</artifactId></project>");

        assertThat(new Modules(planted).breaches())
                .containsExactly(
                        "cli -> agent (expected: one of config, domain, wire)",
                        "common: a module (expected: one of agent, app, cli, config, controlplane,"
                                + " domain, e2e, plugin-sdk, plugins-stages, wire)");
    }

    /// Otherwise it is compiled only by those who run it.
    @Test
    void theBenchmarkCompiles() throws Exception {
        assertThat(Sources.in(REPOSITORY.resolve("e2e/bench")).mistakes(planted)).isEmpty();

        plant("bench/Broken.java", "class Broken {\n  int n = gone();\n}\n");

        assertThat(Sources.in(planted.resolve("bench")).mistakes(planted))
                .singleElement()
                .asString()
                .contains("cannot find symbol")
                .endsWith(" (Broken.java:2)");
    }

    @Test
    void placesNamedInTheArchitectureExist() throws Exception {
        assertThat(new Pages(REPOSITORY).missingPlaces()).isEmpty();

        plant("ARCHITECTURE.md", "The engine is in `domain/nowhere`.\n");

        assertThat(new Pages(planted).missingPlaces())
                .containsExactly("ARCHITECTURE.md: domain/nowhere (expected: to exist)");
    }

    @Test
    void linksOfThePagesLeadSomewhere() throws Exception {
        assertThat(new Pages(REPOSITORY).deadLinks()).isEmpty();

        plant("README.md", "Read [on](docs/nowhere.md) or [there](https://pipecd.dev/docs).\n");
        plant("docs/guides/there.md", "Back [home](../../README.md#top).\n");

        assertThat(new Pages(planted).deadLinks())
                .containsExactly("README.md: docs/nowhere.md (expected: to exist)");
    }

    private Path plant(String path, String text) throws IOException {
        var file = planted.resolve(path);
        Files.createDirectories(file.resolveSibling(""));
        return Files.writeString(file, text);
    }
}
