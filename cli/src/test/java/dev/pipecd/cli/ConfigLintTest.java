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
    void theOptionsOfStagesThatComeWithTheAgentAreLookedAt() throws IOException {
        var file =
                write(
                        "app.pipecd.yaml",
                        GOOD
                                + """
                                  pipeline:
                                    stages:
                                      - name: WAIT
                                        with: {duration: soon}
                                      - name: WAIT
                                        with: {durration: 5s, timeout: 1m}
                                      - name: WAIT_APPROVAL
                                        with: {approvers: anna, minApproverNum: 0}
                                      - name: SCRIPT_RUN
                                        with: {run: "", env: {A: 1}, onRollback: [x]}
                                      - name: CUSTOM_SYNC
                                      - name: K8S_SYNC
                                        with: {whatever: 1}
                                """);

        var run = pipectl("config", "lint", file);

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out().lines().map(line -> line.substring(file.length())))
                .containsExactly(
                        ":9:26: error: spec.pipeline.stages[0].with.duration: \"soon\" (expected: a duration such as 1m30s or 500ms, not negative)",
                        ":11:15: error: spec.pipeline.stages[1].with.duration: missing (expected: a duration such as 1m30s)",
                        ":11:16: error: spec.pipeline.stages[1].with.durration: durration (expected: a known key; did you mean \"duration\"?)",
                        ":13:27: error: spec.pipeline.stages[2].with.approvers: \"anna\" (expected: a list)",
                        ":13:49: error: spec.pipeline.stages[2].with.minApproverNum: 0 (expected: a whole number from 1 to 2147483647)",
                        ":15:21: error: spec.pipeline.stages[3].with.run: missing (expected: text)",
                        ":15:34: error: spec.pipeline.stages[3].with.env.A: 1 (expected: text; put it in quotes)",
                        ":15:50: error: spec.pipeline.stages[3].with.onRollback: a list (expected: text)",
                        ":16:9: error: spec.pipeline.stages[4].with.run: missing (expected: text)",
                        ":16:15: warning: spec.pipeline.stages[4].name: \"CUSTOM_SYNC\" (outdated: write SCRIPT_RUN with onRollback)");
    }

    @Test
    void whatStagesTakeIsNotComplainedAbout() throws IOException {
        var file =
                write(
                        "app.pipecd.yaml",
                        GOOD
                                + """
                                  pipeline:
                                    stages:
                                      - name: WAIT
                                        with: {Duration: 5s, timeout: 1m, skipOn: {paths: [x]}}
                                      - name: WAIT_APPROVAL
                                        with: {approvers: []}
                                      - name: SCRIPT_RUN
                                        with: {run: make, env: {A: "1"}, onRollback: make undo}
                                """);
        var old =
                write(
                        "old.pipecd.yaml",
                        """
                        apiVersion: pipecd.dev/v1beta1
                        kind: KubernetesApp
                        spec:
                          name: site
                          pipeline:
                            stages:
                              - name: WAIT
                              - name: WAIT_APPROVAL
                        """);

        assertThat(pipectl("config", "lint", "--strict", file, old))
                .isEqualTo(new Run(0, "", "Nothing to complain about in 2 files.\n"));
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
