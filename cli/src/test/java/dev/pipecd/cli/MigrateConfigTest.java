// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Run.pipectl;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MigrateConfigTest {
    private static final String KUBERNETES =
            """
            # The site
            apiVersion: pipecd.dev/v1beta1
            kind: KubernetesApp
            spec:
              name: site # everybody knows it
              labels:
                env: "prod"
              input:
                manifests: [deployment.yaml]
                namespace: web
                autoRollback: false
              workloads:
                - name: site
              # Ten in a hundred first
              pipeline:
                stages:
                  - name: WAIT_APPROVAL
                    timeout: 3m
                    with:
                      timeout: 30m
                      approvers: [ann]
                      skipOn:
                        paths: ["docs/**"]
                  - name: ANALYSIS
                    with:
                      duration: 10m
            """;

    @TempDir Path folder;

    @Test
    void whatIsOfThePlatformGoesToItsPluginAndTheRestStaysAsItWas() throws IOException {
        var file = write("app.pipecd.yaml", KUBERNETES);

        var run = migrate("--config-files", file.toString());

        assertThat(run)
                .isEqualTo(new Run(0, file + ": migrated; as it was: " + file + ".old\n", ""));
        assertThat(Files.readString(file))
                .isEqualTo(
                        """
                        # The site
                        apiVersion: pipecd.dev/v1beta1
                        kind: Application
                        spec:
                          name: site # everybody knows it
                          labels:
                            env: "prod"
                          # Ten in a hundred first
                          pipeline:
                            stages:
                              - name: WAIT_APPROVAL
                                timeout: 30m
                                with:
                                  timeout: 30m
                                  approvers: [ann]
                                  skipOn:
                                    paths: ["docs/**"]
                                skipOn:
                                  paths: ["docs/**"]
                              - name: ANALYSIS
                                with:
                                  duration: 10m
                          planner:
                            autoRollback: false
                          plugins:
                            kubernetes:
                              input:
                                manifests: [deployment.yaml]
                                namespace: web
                                autoRollback: false
                              workloads:
                                - name: site
                            analysis:
                              appCustomArgs:
                                k8sNamespace: web
                        """);
        assertThat(Files.readString(folder.resolve("app.pipecd.yaml.old"))).isEqualTo(KUBERNETES);
        assertThat(pipectl("config", "lint", file.toString()).code()).isZero();
    }

    @Test
    void terraformIsStillNotRolledBack() throws IOException {
        var file =
                write(
                        "app.pipecd.yaml",
                        "apiVersion: pipecd.dev/v1beta1\nkind: TerraformApp\nspec:\n  name: net\n");

        migrate("--config-files", file.toString());

        assertThat(Files.readString(file))
                .isEqualTo(
                        """
                        apiVersion: pipecd.dev/v1beta1
                        kind: Application
                        spec:
                          name: net
                          planner:
                            autoRollback: false
                          plugins:
                            terraform: {}
                        """);
    }

    @Test
    void foldersAreSearchedAndAMigratedFileIsLeftAlone() throws IOException {
        write("a/b/app.pipecd.yaml", KUBERNETES);
        write("c/x.pipecd.yaml", KUBERNETES);
        write(".pipe.yaml", KUBERNETES);
        write("other.yaml", KUBERNETES);
        var done = "apiVersion: pipecd.dev/v1beta1\nkind: Application\nspec: {name: done}\n";
        write("d/app.pipecd.yaml", done);

        var run = migrate("--dirs", folder.toString());

        assertThat(run.code()).isZero();
        assertThat(run.out().lines().map(line -> line.replace(folder + "/", "")))
                .containsExactly(
                        ".pipe.yaml: migrated; as it was: .pipe.yaml.old",
                        "a/b/app.pipecd.yaml: migrated; as it was: a/b/app.pipecd.yaml.old",
                        "c/x.pipecd.yaml: migrated; as it was: c/x.pipecd.yaml.old",
                        "d/app.pipecd.yaml: is of kind Application already");
        assertThat(Files.readString(folder.resolve("other.yaml"))).isEqualTo(KUBERNETES);
        assertThat(Files.readString(folder.resolve("d/app.pipecd.yaml"))).isEqualTo(done);
    }

    @Test
    void oneBadFileDoesNotStopTheOthersAndFailsTheWhole() throws IOException {
        var bad = write("a.pipecd.yaml", "kind: Deployment\nspec: {}\n");
        var good = write("b.pipecd.yaml", KUBERNETES);

        var run = migrate("--dirs", folder.toString());

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).startsWith(good + ": migrated");
        assertThat(run.err())
                .isEqualTo(
                        "Error: %s: kind: Deployment (expected: kind KubernetesApp, TerraformApp, LambdaApp, CloudRunApp or ECSApp with a spec). Correct the file; it was left as it is.\n"
                                .formatted(bad));
    }

    @Test
    void anOlderCopyIsNotOverwritten() throws IOException {
        var file = write("app.pipecd.yaml", KUBERNETES);
        write("app.pipecd.yaml.old", "precious");

        var run = migrate("--config-files", file.toString());

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).contains("app.pipecd.yaml.old: exists and differs");
        assertThat(Files.readString(file)).isEqualTo(KUBERNETES);
        assertThat(Files.readString(folder.resolve("app.pipecd.yaml.old"))).isEqualTo("precious");
    }

    @Test
    void aRunThatWasCutOffAfterTheCopyIsCompleted() throws IOException {
        var file = write("app.pipecd.yaml", KUBERNETES);
        write("app.pipecd.yaml.old", KUBERNETES);

        assertThat(migrate("--config-files", file.toString()).code()).isZero();
        assertThat(Files.readString(file)).contains("kind: Application\n");
    }

    @Test
    void filesOrFoldersButNotBoth() {
        assertThat(migrate().code()).isEqualTo(2);
        assertThat(migrate("--dirs", "a", "--config-files", "b").err())
                .startsWith(
                        "Error: --config-files: with --dirs (expected: either --config-files or --dirs)\n");
    }

    private static Run migrate(String... flags) {
        return pipectl(
                java.util.stream.Stream.concat(
                                java.util.stream.Stream.of("migrate", "application-config"),
                                java.util.stream.Stream.of(flags))
                        .toArray(String[]::new));
    }

    private Path write(String name, String text) throws IOException {
        var file = folder.resolve(name);
        Files.createDirectories(file.resolveSibling(""));
        return Files.writeString(file, text);
    }
}
