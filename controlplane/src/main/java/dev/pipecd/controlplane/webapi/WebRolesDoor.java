// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.webapi;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.controlplane.project.Roles;
import dev.pipecd.controlplane.project.SignOn;
import dev.pipecd.controlplane.project.StaticAdmins;
import dev.pipecd.wire.web.*;
import io.grpc.stub.StreamObserver;

/// Takes what administrators change of who may come in and what they may do.
public final class WebRolesDoor extends WebServiceGrpc.WebServiceImplBase {
    private final StaticAdmins admins;
    private final SignOn signOn;
    private final Roles roles;

    public WebRolesDoor(StaticAdmins admins, SignOn signOn, Roles roles) {
        this.admins = admins;
        this.signOn = signOn;
        this.roles = roles;
    }

    @Override
    public void updateProjectStaticAdmin(
            UpdateProjectStaticAdminRequest request,
            StreamObserver<UpdateProjectStaticAdminResponse> answer) {
        admins.update(Caller.currentPerson(), request.getUsername(), request.getPassword());
        Reply.with(answer, UpdateProjectStaticAdminResponse.getDefaultInstance());
    }

    @Override
    public void enableStaticAdmin(
            EnableStaticAdminRequest request, StreamObserver<EnableStaticAdminResponse> answer) {
        admins.enable(Caller.currentPerson());
        Reply.with(answer, EnableStaticAdminResponse.getDefaultInstance());
    }

    @Override
    public void disableStaticAdmin(
            DisableStaticAdminRequest request, StreamObserver<DisableStaticAdminResponse> answer) {
        admins.disable(Caller.currentPerson());
        Reply.with(answer, DisableStaticAdminResponse.getDefaultInstance());
    }

    @Override
    public void updateProjectSSOConfig(
            UpdateProjectSSOConfigRequest request,
            StreamObserver<UpdateProjectSSOConfigResponse> answer) {
        signOn.set(Caller.currentPerson(), request.getSso());
        Reply.with(answer, UpdateProjectSSOConfigResponse.getDefaultInstance());
    }

    @Override
    public void updateProjectRBACConfig(
            UpdateProjectRBACConfigRequest request,
            StreamObserver<UpdateProjectRBACConfigResponse> answer) {
        roles.setOldGroups(Caller.currentPerson(), request.getRbac());
        Reply.with(answer, UpdateProjectRBACConfigResponse.getDefaultInstance());
    }

    @Override
    public void addProjectRBACRole(
            AddProjectRBACRoleRequest request, StreamObserver<AddProjectRBACRoleResponse> answer) {
        roles.add(Caller.currentPerson(), request.getName(), request.getPoliciesList());
        Reply.with(answer, AddProjectRBACRoleResponse.getDefaultInstance());
    }

    @Override
    public void updateProjectRBACRole(
            UpdateProjectRBACRoleRequest request,
            StreamObserver<UpdateProjectRBACRoleResponse> answer) {
        roles.update(Caller.currentPerson(), request.getName(), request.getPoliciesList());
        Reply.with(answer, UpdateProjectRBACRoleResponse.getDefaultInstance());
    }

    @Override
    public void deleteProjectRBACRole(
            DeleteProjectRBACRoleRequest request,
            StreamObserver<DeleteProjectRBACRoleResponse> answer) {
        roles.delete(Caller.currentPerson(), request.getName());
        Reply.with(answer, DeleteProjectRBACRoleResponse.getDefaultInstance());
    }

    @Override
    public void addProjectUserGroup(
            AddProjectUserGroupRequest request,
            StreamObserver<AddProjectUserGroupResponse> answer) {
        roles.addGroup(Caller.currentPerson(), request.getSsoGroup(), request.getRole());
        Reply.with(answer, AddProjectUserGroupResponse.getDefaultInstance());
    }

    @Override
    public void deleteProjectUserGroup(
            DeleteProjectUserGroupRequest request,
            StreamObserver<DeleteProjectUserGroupResponse> answer) {
        roles.deleteGroup(Caller.currentPerson(), request.getSsoGroup());
        Reply.with(answer, DeleteProjectUserGroupResponse.getDefaultInstance());
    }
}
