// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import com.google.protobuf.BoolValue;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.APIKey;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.ApplicationKind;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.Piped;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.web.AddApplicationRequest;
import dev.pipecd.wire.web.ApproveStageRequest;
import dev.pipecd.wire.web.DeleteOldPipedKeysRequest;
import dev.pipecd.wire.web.DisableAPIKeyRequest;
import dev.pipecd.wire.web.GenerateAPIKeyRequest;
import dev.pipecd.wire.web.ListAPIKeysRequest;
import dev.pipecd.wire.web.ListApplicationsRequest;
import dev.pipecd.wire.web.ListDeploymentsRequest;
import dev.pipecd.wire.web.ListPipedsRequest;
import dev.pipecd.wire.web.RecreatePipedKeyRequest;
import dev.pipecd.wire.web.RegisterPipedRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Makes agent, API key and applications known to the control plane. Each step first looks what is
/// there, so that a run that died between two steps is completed by the next and nothing exists
/// twice.
final class Registration {
    private static final String NAME = "quickstart";

    private final WebClient web;
    private final Place place;
    private final Settings settings;

    /// An approval takes a moment to show; a second one would be refused.
    private final Set<String> approved = new HashSet<>();

    Registration(WebClient web, Place place, Settings settings) {
        this.web = web;
        this.place = place;
        this.settings = settings;
    }

    void ensurePiped() throws IOException, InterruptedException {
        var known = piped();
        if (known.isPresent() && configured(known.get().getId())) {
            settings.followPort(place.pipedConfig());
        } else if (known.isPresent()) {
            settings.writePiped(known.get().getId(), newKey(known.get().getId()));
        } else {
            var request =
                    RegisterPipedRequest.newBuilder()
                            .setName(NAME)
                            .setDesc("The agent of the quickstart")
                            .build();
            var answer = web.call(WebServiceGrpc.getRegisterPipedMethod(), request);
            settings.writePiped(answer.getId(), answer.getKey());
        }
    }

    /// The first key was shown once, to a quickstart that died before it could write it down.
    private String newKey(String id) throws IOException, InterruptedException {
        // An agent has room for two keys; a third attempt would otherwise be refused.
        var old = DeleteOldPipedKeysRequest.newBuilder().setPipedId(id).build();
        web.call(WebServiceGrpc.getDeleteOldPipedKeysMethod(), old);
        var request = RecreatePipedKeyRequest.newBuilder().setId(id).build();
        var key = web.call(WebServiceGrpc.getRecreatePipedKeyMethod(), request).getKey();
        web.call(WebServiceGrpc.getDeleteOldPipedKeysMethod(), old);
        return key;
    }

    private boolean configured(String id) throws IOException {
        return Files.exists(place.pipedKey())
                && Files.exists(place.pipedConfig())
                && Files.readString(place.pipedConfig()).contains(id);
    }

    void ensureApiKey() throws IOException, InterruptedException {
        var enabled = ListAPIKeysRequest.Options.newBuilder().setEnabled(BoolValue.of(true));
        var request = ListAPIKeysRequest.newBuilder().setOptions(enabled).build();
        var keys = web.call(WebServiceGrpc.getListAPIKeysMethod(), request).getKeysList();
        var ours =
                keys.stream().filter(key -> key.getName().equals(NAME)).map(APIKey::getId).toList();
        if (Files.exists(place.apiKey())) {
            var id = Files.readString(place.apiKey()).strip().split("\\.", 2)[0];
            if (ours.contains(id)) return;
        }
        for (var lost : ours) {
            web.call(
                    WebServiceGrpc.getDisableAPIKeyMethod(),
                    DisableAPIKeyRequest.newBuilder().setId(lost).build());
        }
        var generate =
                GenerateAPIKeyRequest.newBuilder()
                        .setName(NAME)
                        .setRole(APIKey.Role.READ_WRITE)
                        .build();
        var key = web.call(WebServiceGrpc.getGenerateAPIKeyMethod(), generate).getKey();
        WholeFile.writeSecret(place.apiKey(), (key + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /// The agent, once it has told the control plane of the demo repository.
    Optional<Piped> connectedPiped() throws IOException, InterruptedException {
        return piped().filter(piped -> piped.getStatus() == Piped.ConnectionStatus.ONLINE)
                .filter(piped ->
                        piped.getRepositoriesList().stream().anyMatch(Registration::isDemo));
    }

    /// The id of the sample in the folder of that name.
    String ensureApplication(String folder, String description, Piped piped)
            throws IOException, InterruptedException {
        var known = application(folder);
        if (known.isPresent()) return known.get().getId();
        var repository =
                piped.getRepositoriesList().stream()
                        .filter(Registration::isDemo)
                        .findFirst()
                        .orElseThrow();
        var request =
                AddApplicationRequest.newBuilder()
                        .setName(folder)
                        .setPipedId(piped.getId())
                        .setKind(ApplicationKind.KUBERNETES)
                        .setDescription(description)
                        .setGitPath(
                                ApplicationGitPath.newBuilder()
                                        .setRepo(repository)
                                        .setPath(folder)
                                        .setConfigFilename("app.pipecd.yaml"))
                        .build();
        return web.call(WebServiceGrpc.getAddApplicationMethod(), request).getApplicationId();
    }

    /// Approves the very first deployment, so that there is a page to change; false once it has
    /// ended or there are more.
    boolean carryFirstDeployment(String applicationId) throws IOException, InterruptedException {
        var deployments = deployments(applicationId);
        if (deployments.size() > 1) return false;
        if (deployments.isEmpty()) return true;
        var first = deployments.getFirst();
        for (var stage : first.getStagesList())
            if (awaitsApproval(stage) && approved.add(stage.getId())) approve(first, stage);
        return first.getCompletedAt() == 0;
    }

    private void approve(Deployment deployment, PipelineStage stage)
            throws IOException, InterruptedException {
        var request =
                ApproveStageRequest.newBuilder()
                        .setDeploymentId(deployment.getId())
                        .setStageId(stage.getId())
                        .build();
        try {
            web.call(WebServiceGrpc.getApproveStageMethod(), request);
        } catch (Problem _) {
            // Somebody was quicker in the browser; the next look shows how it goes on.
        }
    }

    private static boolean awaitsApproval(PipelineStage stage) {
        return stage.getName().equals("WAIT_APPROVAL")
                && stage.getStatus() == dev.pipecd.wire.model.StageStatus.STAGE_RUNNING;
    }

    private Optional<Piped> piped() throws IOException, InterruptedException {
        var request =
                ListPipedsRequest.newBuilder()
                        .setWithStatus(true)
                        .setOptions(
                                ListPipedsRequest.Options.newBuilder()
                                        .setEnabled(BoolValue.of(true)))
                        .build();
        return web.call(WebServiceGrpc.getListPipedsMethod(), request).getPipedsList().stream()
                .filter(piped -> piped.getName().equals(NAME))
                .findFirst();
    }

    private Optional<Application> application(String folder)
            throws IOException, InterruptedException {
        var request =
                ListApplicationsRequest.newBuilder()
                        .setOptions(ListApplicationsRequest.Options.newBuilder())
                        .build();
        return web
                .call(WebServiceGrpc.getListApplicationsMethod(), request)
                .getApplicationsList()
                .stream()
                .filter(application -> isDemo(application.getGitPath().getRepo()))
                .filter(application -> application.getGitPath().getPath().equals(folder))
                .findFirst();
    }

    private List<Deployment> deployments(String applicationId)
            throws IOException, InterruptedException {
        var options = ListDeploymentsRequest.Options.newBuilder().addApplicationIds(applicationId);
        var request =
                ListDeploymentsRequest.newBuilder().setOptions(options).setPageSize(2).build();
        return web.call(WebServiceGrpc.getListDeploymentsMethod(), request).getDeploymentsList();
    }

    private static boolean isDemo(ApplicationGitRepository repository) {
        return repository.getId().equals(Settings.REPOSITORY);
    }
}
