// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.webapi;

import com.google.protobuf.Message;
import dev.pipecd.controlplane.access.ApiKeys;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.OwnProject;
import dev.pipecd.controlplane.application.Applications;
import dev.pipecd.controlplane.application.Suggestions;
import dev.pipecd.controlplane.command.Commands;
import dev.pipecd.controlplane.deployment.Deployments;
import dev.pipecd.controlplane.deployment.StageLogs;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.controlplane.paging.Ids;
import dev.pipecd.controlplane.piped.Pipeds;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.web.AddApplicationRequest;
import dev.pipecd.wire.web.AddApplicationResponse;
import dev.pipecd.wire.web.ApproveStageRequest;
import dev.pipecd.wire.web.ApproveStageResponse;
import dev.pipecd.wire.web.CancelDeploymentRequest;
import dev.pipecd.wire.web.CancelDeploymentResponse;
import dev.pipecd.wire.web.DeleteOldPipedKeysRequest;
import dev.pipecd.wire.web.DeleteOldPipedKeysResponse;
import dev.pipecd.wire.web.DisableAPIKeyRequest;
import dev.pipecd.wire.web.DisableAPIKeyResponse;
import dev.pipecd.wire.web.DisableApplicationRequest;
import dev.pipecd.wire.web.DisableApplicationResponse;
import dev.pipecd.wire.web.DisablePipedRequest;
import dev.pipecd.wire.web.DisablePipedResponse;
import dev.pipecd.wire.web.EnableApplicationRequest;
import dev.pipecd.wire.web.EnableApplicationResponse;
import dev.pipecd.wire.web.EnablePipedRequest;
import dev.pipecd.wire.web.EnablePipedResponse;
import dev.pipecd.wire.web.GenerateAPIKeyRequest;
import dev.pipecd.wire.web.GenerateAPIKeyResponse;
import dev.pipecd.wire.web.GetApplicationRequest;
import dev.pipecd.wire.web.GetApplicationResponse;
import dev.pipecd.wire.web.GetCommandRequest;
import dev.pipecd.wire.web.GetCommandResponse;
import dev.pipecd.wire.web.GetDeploymentRequest;
import dev.pipecd.wire.web.GetDeploymentResponse;
import dev.pipecd.wire.web.GetMeRequest;
import dev.pipecd.wire.web.GetMeResponse;
import dev.pipecd.wire.web.GetPipedRequest;
import dev.pipecd.wire.web.GetPipedResponse;
import dev.pipecd.wire.web.GetProjectRequest;
import dev.pipecd.wire.web.GetProjectResponse;
import dev.pipecd.wire.web.GetStageLogRequest;
import dev.pipecd.wire.web.GetStageLogResponse;
import dev.pipecd.wire.web.ListAPIKeysRequest;
import dev.pipecd.wire.web.ListAPIKeysResponse;
import dev.pipecd.wire.web.ListApplicationsRequest;
import dev.pipecd.wire.web.ListApplicationsResponse;
import dev.pipecd.wire.web.ListDeploymentsRequest;
import dev.pipecd.wire.web.ListDeploymentsResponse;
import dev.pipecd.wire.web.ListPipedsRequest;
import dev.pipecd.wire.web.ListPipedsResponse;
import dev.pipecd.wire.web.ListUnregisteredApplicationsRequest;
import dev.pipecd.wire.web.ListUnregisteredApplicationsResponse;
import dev.pipecd.wire.web.RecreatePipedKeyRequest;
import dev.pipecd.wire.web.RecreatePipedKeyResponse;
import dev.pipecd.wire.web.RegisterPipedRequest;
import dev.pipecd.wire.web.RegisterPipedResponse;
import dev.pipecd.wire.web.SyncApplicationRequest;
import dev.pipecd.wire.web.SyncApplicationResponse;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.stub.StreamObserver;

/// Takes what logged-in people ask in the browser.
public final class WebServiceDoor extends WebServiceGrpc.WebServiceImplBase {
    private final Accounts accounts;
    private final Pipeds pipeds;
    private final Applications applications;
    private final Suggestions suggestions;
    private final Deployments deployments;
    private final StageLogs logs;
    private final Commands commands;

    public WebServiceDoor(
            Accounts accounts,
            Pipeds pipeds,
            Applications applications,
            Suggestions suggestions,
            Deployments deployments,
            StageLogs logs,
            Commands commands) {
        this.accounts = accounts;
        this.pipeds = pipeds;
        this.applications = applications;
        this.suggestions = suggestions;
        this.deployments = deployments;
        this.logs = logs;
        this.commands = commands;
    }

    @Override
    public void getMe(GetMeRequest request, StreamObserver<GetMeResponse> answer) {
        var me = accounts.project().me(person());
        answer(
                answer,
                GetMeResponse.newBuilder()
                        .setSubject(me.name())
                        .setProjectId(me.project().value())
                        .build());
    }

    @Override
    public void getProject(GetProjectRequest request, StreamObserver<GetProjectResponse> answer) {
        answer(
                answer,
                GetProjectResponse.newBuilder()
                        .setProject(accounts.project().get(person()))
                        .build());
    }

    @Override
    public void listApplications(
            ListApplicationsRequest request, StreamObserver<ListApplicationsResponse> answer) {
        var person = person();
        var found = applications.list(person, Filters.of(person.project(), request.getOptions()));
        answer(answer, ListApplicationsResponse.newBuilder().addAllApplications(found).build());
    }

    @Override
    public void getApplication(
            GetApplicationRequest request, StreamObserver<GetApplicationResponse> answer) {
        var found = applications.get(person(), application(request.getApplicationId()));
        answer(answer, GetApplicationResponse.newBuilder().setApplication(found).build());
    }

    @Override
    public void addApplication(
            AddApplicationRequest request, StreamObserver<AddApplicationResponse> answer) {
        var id = applications.add(person(), Filters.draft(request));
        answer(answer, AddApplicationResponse.newBuilder().setApplicationId(id.value()).build());
    }

    @Override
    public void syncApplication(
            SyncApplicationRequest request, StreamObserver<SyncApplicationResponse> answer) {
        var command =
                applications.sync(
                        person(),
                        application(request.getApplicationId()),
                        request.getSyncStrategy());
        answer(answer, SyncApplicationResponse.newBuilder().setCommandId(command.value()).build());
    }

    @Override
    public void enableApplication(
            EnableApplicationRequest request, StreamObserver<EnableApplicationResponse> answer) {
        applications.enable(person(), application(request.getApplicationId()));
        answer(answer, EnableApplicationResponse.getDefaultInstance());
    }

    @Override
    public void disableApplication(
            DisableApplicationRequest request, StreamObserver<DisableApplicationResponse> answer) {
        applications.disable(person(), application(request.getApplicationId()));
        answer(answer, DisableApplicationResponse.getDefaultInstance());
    }

    @Override
    public void listUnregisteredApplications(
            ListUnregisteredApplicationsRequest request,
            StreamObserver<ListUnregisteredApplicationsResponse> answer) {
        answer(
                answer,
                ListUnregisteredApplicationsResponse.newBuilder()
                        .addAllApplications(suggestions.list(person()))
                        .build());
    }

    @Override
    public void listDeployments(
            ListDeploymentsRequest request, StreamObserver<ListDeploymentsResponse> answer) {
        var person = person();
        var page =
                deployments.page(
                        person,
                        Filters.of(person.project(), request),
                        Cursor.parse(request.getCursor()),
                        request.getPageSize());
        answer(
                answer,
                ListDeploymentsResponse.newBuilder()
                        .addAllDeployments(page.items())
                        .setCursor(page.cursor())
                        .build());
    }

    @Override
    public void getDeployment(
            GetDeploymentRequest request, StreamObserver<GetDeploymentResponse> answer) {
        var found = deployments.get(person(), deployment(request.getDeploymentId()));
        answer(answer, GetDeploymentResponse.newBuilder().setDeployment(found).build());
    }

    @Override
    public void getStageLog(
            GetStageLogRequest request, StreamObserver<GetStageLogResponse> answer) {
        var place =
                new StageLogs.Place(
                        deployment(request.getDeploymentId()),
                        stage(request.getStageId()),
                        request.getRetriedCount());
        var part = logs.read(person(), place, request.getOffsetIndex());
        answer(
                answer,
                GetStageLogResponse.newBuilder()
                        .addAllBlocks(part.blocks())
                        .setCompleted(part.completed())
                        .build());
    }

    @Override
    public void cancelDeployment(
            CancelDeploymentRequest request, StreamObserver<CancelDeploymentResponse> answer) {
        var command =
                deployments.cancel(
                        person(), deployment(request.getDeploymentId()), Filters.rollback(request));
        answer(answer, CancelDeploymentResponse.newBuilder().setCommandId(command.value()).build());
    }

    @Override
    public void approveStage(
            ApproveStageRequest request, StreamObserver<ApproveStageResponse> answer) {
        var command =
                deployments.approve(
                        person(),
                        deployment(request.getDeploymentId()),
                        stage(request.getStageId()));
        answer(answer, ApproveStageResponse.newBuilder().setCommandId(command.value()).build());
    }

    @Override
    public void getCommand(GetCommandRequest request, StreamObserver<GetCommandResponse> answer) {
        var id = new CommandId(Ids.given("command_id", request.getCommandId()));
        var found = commands.get(person(), id);
        answer(answer, GetCommandResponse.newBuilder().setCommand(found).build());
    }

    @Override
    public void registerPiped(
            RegisterPipedRequest request, StreamObserver<RegisterPipedResponse> answer) {
        var registered = pipeds.register(person(), request.getName(), request.getDesc());
        answer(
                answer,
                RegisterPipedResponse.newBuilder()
                        .setId(registered.id().value())
                        .setKey(registered.key())
                        .build());
    }

    @Override
    public void recreatePipedKey(
            RecreatePipedKeyRequest request, StreamObserver<RecreatePipedKeyResponse> answer) {
        var key = pipeds.recreateKey(person(), piped(request.getId()));
        answer(answer, RecreatePipedKeyResponse.newBuilder().setKey(key).build());
    }

    @Override
    public void deleteOldPipedKeys(
            DeleteOldPipedKeysRequest request, StreamObserver<DeleteOldPipedKeysResponse> answer) {
        pipeds.deleteOldKeys(person(), piped(request.getPipedId()));
        answer(answer, DeleteOldPipedKeysResponse.getDefaultInstance());
    }

    @Override
    public void enablePiped(
            EnablePipedRequest request, StreamObserver<EnablePipedResponse> answer) {
        pipeds.enable(person(), piped(request.getPipedId()));
        answer(answer, EnablePipedResponse.getDefaultInstance());
    }

    @Override
    public void disablePiped(
            DisablePipedRequest request, StreamObserver<DisablePipedResponse> answer) {
        pipeds.disable(person(), piped(request.getPipedId()));
        answer(answer, DisablePipedResponse.getDefaultInstance());
    }

    @Override
    public void listPipeds(ListPipedsRequest request, StreamObserver<ListPipedsResponse> answer) {
        var options = request.getOptions();
        var found =
                pipeds.list(person()).stream()
                        .filter(p ->
                                !options.hasEnabled()
                                        || options.getEnabled().getValue() != p.getDisabled())
                        .toList();
        answer(answer, ListPipedsResponse.newBuilder().addAllPipeds(found).build());
    }

    @Override
    public void getPiped(GetPipedRequest request, StreamObserver<GetPipedResponse> answer) {
        var found = pipeds.get(person(), piped(request.getPipedId()));
        answer(answer, GetPipedResponse.newBuilder().setPiped(found).build());
    }

    @Override
    public void generateAPIKey(
            GenerateAPIKeyRequest request, StreamObserver<GenerateAPIKeyResponse> answer) {
        var key = accounts.apiKeys().generate(person(), request.getName(), request.getRole());
        answer(answer, GenerateAPIKeyResponse.newBuilder().setKey(key).build());
    }

    @Override
    public void disableAPIKey(
            DisableAPIKeyRequest request, StreamObserver<DisableAPIKeyResponse> answer) {
        accounts.apiKeys().disable(person(), Ids.given("id", request.getId()));
        answer(answer, DisableAPIKeyResponse.getDefaultInstance());
    }

    @Override
    public void listAPIKeys(
            ListAPIKeysRequest request, StreamObserver<ListAPIKeysResponse> answer) {
        var options = request.getOptions();
        var found =
                accounts.apiKeys().list(person()).stream()
                        .filter(k ->
                                !options.hasEnabled()
                                        || options.getEnabled().getValue() != k.getDisabled())
                        .toList();
        answer(answer, ListAPIKeysResponse.newBuilder().addAllKeys(found).build());
    }

    private static Caller.Person person() {
        if (Caller.current() instanceof Caller.Person person) return person;
        throw new Problem(
                Problem.Code.UNAUTHENTICATED,
                "Unauthenticated",
                "Only a logged-in person may call this.");
    }

    private static ApplicationId application(String id) {
        return new ApplicationId(Ids.given("application_id", id));
    }

    private static DeploymentId deployment(String id) {
        return new DeploymentId(Ids.given("deployment_id", id));
    }

    private static StageId stage(String id) {
        return new StageId(Ids.given("stage_id", id));
    }

    private static PipedId piped(String id) {
        return new PipedId(Ids.given("piped_id", id));
    }

    private static <T extends Message> void answer(StreamObserver<T> observer, T answer) {
        observer.onNext(answer);
        observer.onCompleted();
    }

    /// What concerns people themselves and the keys they hand out.
    public record Accounts(OwnProject project, ApiKeys apiKeys) {}
}
