// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Run.pipectl;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.api.AddApplicationRequest;
import dev.pipecd.wire.api.AddApplicationResponse;
import dev.pipecd.wire.api.DisableApplicationRequest;
import dev.pipecd.wire.api.DisableApplicationResponse;
import dev.pipecd.wire.api.GetPipedRequest;
import dev.pipecd.wire.api.GetPipedResponse;
import dev.pipecd.wire.api.ListApplicationsRequest;
import dev.pipecd.wire.api.ListApplicationsResponse;
import dev.pipecd.wire.api.RegisterPipedRequest;
import dev.pipecd.wire.api.RegisterPipedResponse;
import dev.pipecd.wire.api.UpdateApplicationDeployTargetsRequest;
import dev.pipecd.wire.api.UpdateApplicationDeployTargetsResponse;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.DeployTargets;
import dev.pipecd.wire.model.Piped;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransferTest {
    /// As the public command line wrote it.
    private static final String PUBLIC_BACKUP =
            """
            {
              "version": "1",
              "created_at": "2026-11-15T20:00:00Z",
              "pipeds": [
                {
                  "id": "p1",
                  "name": "agent",
                  "desc": "ours",
                  "project_id": "proj",
                  "status": 1,
                  "created_at": 1,
                  "updated_at": 2
                }
              ],
              "applications": [
                {
                  "id": "a1",
                  "name": "site",
                  "piped_id": "p1",
                  "project_id": "proj",
                  "git_path": {
                    "repo": {
                      "id": "r1"
                    },
                    "path": "apps/site",
                    "config_filename": "app.pipecd.yaml"
                  },
                  "labels": {
                    "env": "prod"
                  },
                  "platform_provider": "k8s",
                  "created_at": 1794772800,
                  "updated_at": 1794772801
                },
                {
                  "id": "a2",
                  "name": "shop",
                  "piped_id": "p1",
                  "project_id": "proj",
                  "git_path": {
                    "repo": {
                      "id": "r1"
                    },
                    "path": "apps/shop",
                    "config_filename": "app.pipecd.yaml"
                  },
                  "deploy_targets_by_plugin": {
                    "kubernetes": {
                      "deploy_targets": [
                        "t1"
                      ]
                    }
                  },
                  "disabled": true,
                  "created_at": 1794772800,
                  "updated_at": 1794772801
                }
              ]
            }
            """;

    private final RecordingApiService api = RecordingApiService.publicOne();
    private final LoopbackServer server = LoopbackServer.plaintext(api);

    @TempDir Path folder;

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    @SuppressWarnings("deprecation") // provider of an application for an old agent
    void aBackupHasThePublicFormAndHoldsDisabledApplicationsToo() throws IOException {
        var site =
                application("a1", "site", "apps/site")
                        .putLabels("env", "prod")
                        .setPlatformProvider("k8s");
        var shop =
                application("a2", "shop", "apps/shop")
                        .putDeployTargetsByPlugin(
                                "kubernetes",
                                DeployTargets.newBuilder().addDeployTargets("t1").build())
                        .setDisabled(true);
        Function<ListApplicationsRequest, Object> listed =
                request ->
                        ListApplicationsResponse.newBuilder()
                                .addApplications(request.getDisabled() ? shop : site)
                                .build();
        api.answer(ListApplicationsRequest.class, listed)
                .answer(
                        GetPipedRequest.class,
                        GetPipedResponse.newBuilder()
                                .setPiped(
                                        Piped.newBuilder()
                                                .setId("p1")
                                                .setName("agent")
                                                .setDesc("ours")
                                                .setProjectId("proj")
                                                .setStatus(Piped.ConnectionStatus.ONLINE)
                                                .setCreatedAt(1)
                                                .setUpdatedAt(2))
                                .build());
        var file = folder.resolve("backup.json");

        var run = pipectl(server, "transfer", "backup", "--output-file", file.toString());

        assertThat(run)
                .isEqualTo(new Run(0, "Wrote 2 applications and 1 agents to " + file + "\n", ""));
        assertThat(sorted(Files.readString(file))).isEqualTo(sorted(PUBLIC_BACKUP));
        assertThat(Files.getPosixFilePermissions(file))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    private static String sorted(String json) {
        return json.lines().sorted().toList().toString().replace(",", "");
    }

    @Test
    void allPagesAreRead() {
        Function<ListApplicationsRequest, Object> listed =
                request -> {
                    var page = ListApplicationsResponse.newBuilder();
                    if (request.getDisabled()) return page.build();
                    var count = request.getCursor().isEmpty() ? 500 : 3;
                    for (var i = 0; i < count; i++)
                        page.addApplications(application("a" + i, "n", "apps/" + i));
                    return page.setCursor("next").build();
                };
        api.answer(ListApplicationsRequest.class, listed)
                .answer(
                        GetPipedRequest.class,
                        GetPipedResponse.newBuilder()
                                .setPiped(Piped.newBuilder().setId("p1"))
                                .build());

        var run =
                pipectl(
                        server,
                        "transfer",
                        "backup",
                        "--labels=env:prod",
                        "--output-file",
                        folder.resolve("backup.json").toString());

        assertThat(run.out()).startsWith("Wrote 503 applications and 1 agents to ");
        assertThat(api.requests(ListApplicationsRequest.class))
                .extracting(ListApplicationsRequest::getCursor)
                .containsExactly("", "next", "");
        assertThat(api.requests(ListApplicationsRequest.class))
                .allMatch(request -> request.getLabelsOrDefault("env", "").equals("prod"));
    }

    @Test
    void agentsAreRegisteredAndTheirNewKeysWritten() throws IOException {
        registering();
        var mapping = folder.resolve("mapping.json");

        var run = restorePiped("--output-file", mapping.toString());

        assertThat(run.code()).isZero();
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("Registered agent agent: p1 is now n1\n");
        assertThat(Files.readString(mapping))
                .isEqualTo(
                        """
                        {
                          "piped_mappings": [
                            {
                              "old_piped_id": "p1",
                              "new_piped_id": "n1",
                              "new_key": "key1",
                              "new_base64_key": "a2V5MQ==",
                              "piped_name": "agent"
                            }
                          ],
                          "restored_application_count": 0,
                          "failed_application_count": 0
                        }
                        """);
        assertThat(Files.getPosixFilePermissions(mapping))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void anAgentThatStandsInTheMappingIsNotRegisteredTwice() throws IOException {
        registering();
        var mapping = folder.resolve("mapping.json").toString();

        restorePiped("--output-file", mapping);
        restorePiped("--output-file", mapping);

        assertThat(api.requests(RegisterPipedRequest.class)).hasSize(1);
    }

    @Test
    void noAgentIsRegisteredWhoseKeyCouldNotBeWritten() throws IOException {
        registering();

        var run = restorePiped("--output-file", folder.resolve("gone/mapping.json").toString());

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .endsWith(
                        "/gone/mapping.json (expected: a file that can be written). Check the path and its permissions.\n");
        assertThat(api.requests()).isEmpty();
    }

    @Test
    void withoutAFileTheMappingIsTheResult() throws IOException {
        registering();

        assertThat(restorePiped().out()).contains("\"new_key\": \"key1\"");
    }

    @Test
    void applicationsComeBackWithLabelsTargetsAndTheirState() throws IOException {
        emptyTarget();
        api.answer(
                AddApplicationRequest.class,
                AddApplicationResponse.newBuilder().setApplicationId("new1").build(),
                AddApplicationResponse.newBuilder().setApplicationId("new2").build());

        var run = restoreApplications();

        assertThat(run)
                .isEqualTo(
                        new Run(
                                0,
                                "Restored 2 applications, failed with 0\n",
                                """
                                Restored application site: a1 is now new1
                                Restored application shop: a2 is now new2 (disabled)
                                """));
        var added = api.requests(AddApplicationRequest.class);
        assertThat(added).extracting(AddApplicationRequest::getPipedId).containsExactly("n1", "n1");
        assertThat(added.getFirst().getLabelsMap()).containsEntry("env", "prod");
        assertThat(added.getFirst().getPlatformProvider()).isEqualTo("k8s");
        assertThat(api.requests(UpdateApplicationDeployTargetsRequest.class))
                .containsExactly(
                        UpdateApplicationDeployTargetsRequest.newBuilder()
                                .setApplicationId("new2")
                                .putDeployTargetsByPlugin(
                                        "kubernetes",
                                        DeployTargets.newBuilder().addDeployTargets("t1").build())
                                .build());
        assertThat(api.requests(DisableApplicationRequest.class))
                .extracting(DisableApplicationRequest::getApplicationId)
                .containsExactly("new2");
    }

    @Test
    void aRestoreThatWasCutOffIsCompletedNotRepeated() throws IOException {
        emptyTarget();
        Function<ListApplicationsRequest, Object> halfDone =
                request ->
                        request.getDisabled()
                                ? ListApplicationsResponse.getDefaultInstance()
                                : ListApplicationsResponse.newBuilder()
                                        .addApplications(
                                                application("new1", "site", "apps/site")
                                                        .setPipedId("n1"))
                                        .addApplications(
                                                application("new2", "shop", "apps/shop")
                                                        .setPipedId("n1"))
                                        .build();
        api.answer(ListApplicationsRequest.class, halfDone);

        var run = restoreApplications();

        assertThat(run.code()).isZero();
        assertThat(run.err())
                .isEqualTo(
                        """
                        Found application site: a1 is now new1
                        Found application shop: a2 is now new2 (disabled)
                        """);
        assertThat(api.requests(AddApplicationRequest.class)).isEmpty();
        assertThat(api.requests(UpdateApplicationDeployTargetsRequest.class)).hasSize(1);
        assertThat(api.requests(DisableApplicationRequest.class)).hasSize(1);
    }

    @Test
    void oneApplicationThatFailsDoesNotStopTheOthers() throws IOException {
        emptyTarget();
        api.answer(
                AddApplicationRequest.class,
                Status.INVALID_ARGUMENT.withDescription("repository: r1 is unknown"),
                AddApplicationResponse.newBuilder().setApplicationId("new2").build());

        var run = restoreApplications();

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).isEqualTo("Restored 1 applications, failed with 1\n");
        assertThat(run.err())
                .startsWith("Failed to restore site (a1): repository: r1 is unknown. ");
    }

    @Test
    void onlyApplicationsWithTheLabelsAreRestored() throws IOException {
        emptyTarget();
        api.answer(
                AddApplicationRequest.class,
                AddApplicationResponse.newBuilder().setApplicationId("new1").build());

        var run = restoreApplications("--labels", "env:prod");

        assertThat(run.out()).isEqualTo("Restored 1 applications, failed with 0\n");
    }

    @Test
    void aFileThatIsNoBackupIsTold() throws IOException {
        var file = Files.writeString(folder.resolve("other.json"), "{\"version\":\"2\"}");

        var run = pipectl(server, "transfer", "restore", "piped", "--input-file", file.toString());

        assertThat(run)
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                "Error: --input-file: %s (expected: a file that `pipectl transfer backup` wrote). version: 2 (expected: 1).\n"
                                        .formatted(file)));
    }

    private void registering() {
        api.answer(
                RegisterPipedRequest.class,
                RegisterPipedResponse.newBuilder().setId("n1").setKey("key1").build());
    }

    private void emptyTarget() {
        api.answer(ListApplicationsRequest.class, ListApplicationsResponse.getDefaultInstance())
                .answer(
                        UpdateApplicationDeployTargetsRequest.class,
                        UpdateApplicationDeployTargetsResponse.getDefaultInstance())
                .answer(
                        DisableApplicationRequest.class,
                        DisableApplicationResponse.getDefaultInstance());
    }

    private Run restorePiped(String... flags) throws IOException {
        var backup = Files.writeString(folder.resolve("backup.json"), PUBLIC_BACKUP).toString();
        var args = Stream.of("transfer", "restore", "piped", "--input-file", backup);
        return pipectl(server, Stream.concat(args, Stream.of(flags)).toArray(String[]::new));
    }

    private Run restoreApplications(String... flags) throws IOException {
        registering();
        var mapping = folder.resolve("mapping.json").toString();
        restorePiped("--output-file", mapping);
        var args =
                Stream.of(
                        "transfer",
                        "restore",
                        "application",
                        "--input-file",
                        folder.resolve("backup.json").toString(),
                        "--piped-id-mapping-file",
                        mapping);
        return pipectl(server, Stream.concat(args, Stream.of(flags)).toArray(String[]::new));
    }

    private static Application.Builder application(String id, String name, String path) {
        return Application.newBuilder()
                .setId(id)
                .setName(name)
                .setPipedId("p1")
                .setProjectId("proj")
                .setGitPath(
                        ApplicationGitPath.newBuilder()
                                .setRepo(ApplicationGitRepository.newBuilder().setId("r1"))
                                .setPath(path)
                                .setConfigFilename("app.pipecd.yaml"))
                .setCreatedAt(1_794_772_800)
                .setUpdatedAt(1_794_772_801);
    }
}
