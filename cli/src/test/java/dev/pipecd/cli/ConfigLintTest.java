// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Run.pipectl;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigLintTest {
    private static final String GOOD =
            "apiVersion: pipecd.dev/v1beta1\nkind: Application\nspec:\n  name: site\n  plugins: {wait: }\n";

    @TempDir Path folder;

    @Test
    void aGoodFileIsNotComplainedAbout() throws IOException {
        var file = write("app.pipecd.yaml", GOOD);

        assertThat(pipectl("config", "lint", file))
                .isEqualTo(new Run(0, "", "Nothing to complain about.\n"));
    }

    @Test
    void everyMistakeOfEveryFileIsToldWithItsPlace() throws IOException {
        var one = write("app.pipecd.yaml", GOOD.replace("name: site", "timeout: soon"));
        var two =
                write(
                        "piped.yaml",
                        "apiVersion: pipecd.dev/v1beta1\nkind: Piped\nspec:\n  projectID: p\n");

        var run = pipectl("config", "lint", one, two);

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out().lines())
                .anyMatch(line -> line.startsWith(one + ":4:12: error: spec.timeout: "))
                .anyMatch(
                        line -> line.matches(".*piped.yaml:\\d+:\\d+: error: spec\\.pipedID: .*"));
        assertThat(run.err()).isEmpty();
    }

    @Test
    void aWarningFailsOnlyWhereItIsStrict() throws IOException {
        var file = write("app.pipecd.yaml", GOOD + "  nmae: shop\n");

        var run = pipectl("config", "lint", file);

        assertThat(run.code()).isZero();
        assertThat(run.out()).startsWith(file + ":6:3: warning: spec.nmae: ");
        assertThat(pipectl("config", "lint", "--strict", file).code()).isEqualTo(1);
    }

    @Test
    void aWarningStandsBesideTheMistakeItMayBeTheCauseOf() throws IOException {
        var file = write("app.pipecd.yaml", GOOD + "  nmae: shop\n  timeout: soon\n");

        assertThat(pipectl("config", "lint", file).out().lines())
                .anyMatch(line -> line.startsWith(file + ":7:12: error: spec.timeout: "))
                .anyMatch(line ->
                        line.startsWith(file + ":6:3: warning: spec.nmae: ")
                                && line.contains("did you mean \"name\"?"));
    }

    @Test
    void aControlPlanesFileIsReadAsOne() throws IOException {
        var file =
                write(
                        "control-plane.yaml",
                        "apiVersion: pipecd.dev/v1beta1\nkind: \"ControlPlane\"\nspec:\n  datastoer: x\n");

        var run = pipectl("config", "lint", file);

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).contains(":4:3: error: spec.datastoer: ");
    }

    @Test
    void findingsAreForProgramsToo() throws IOException {
        var file = write("app.pipecd.yaml", "kind: Nothing\n");

        var run = pipectl("config", "lint", file, "-o", "json");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out())
                .contains("\"severity\": \"error\"", "\"line\": 1", "\"path\": \"kind\"");
    }

    @Test
    void aFileThatIsMissingIsAMistakeOfThatFile() {
        var run = pipectl("config", "lint", "/no/such/file");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out())
                .startsWith(
                        "/no/such/file:1:1: error: cannot be read (expected: a file): there is no such file\n");
    }

    private String write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }
}
