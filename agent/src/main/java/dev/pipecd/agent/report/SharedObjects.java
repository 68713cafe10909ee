// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import com.google.protobuf.ByteString;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.wire.piped.GetApplicationSharedObjectRequest;
import dev.pipecd.wire.piped.PutApplicationSharedObjectRequest;

/// What plugins keep for an application across deployments, at the control plane. Kept when `put`
/// comes back; a `Problem` while the control plane is away.
public record SharedObjects(ControlPlaneClient controlPlane) {
    public byte[] get(ApplicationId application, String plugin, String key) {
        return controlPlane.ask(stub ->
                stub.getApplicationSharedObject(
                                GetApplicationSharedObjectRequest.newBuilder()
                                        .setApplicationId(application.value())
                                        .setPluginName(plugin)
                                        .setKey(key)
                                        .build())
                        .getObject()
                        .toByteArray());
    }

    public void put(ApplicationId application, String plugin, String key, byte[] object) {
        controlPlane.ask(stub ->
                stub.putApplicationSharedObject(
                        PutApplicationSharedObjectRequest.newBuilder()
                                .setApplicationId(application.value())
                                .setPluginName(plugin)
                                .setKey(key)
                                .setObject(ByteString.copyFrom(object))
                                .build()));
    }
}
