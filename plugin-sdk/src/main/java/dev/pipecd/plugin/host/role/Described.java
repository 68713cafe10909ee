// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host.role;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.plugin.host.options.OptionsSchema;
import dev.pipecd.plugin.platform.DeploymentPlugin;
import dev.pipecd.plugin.platform.DriftPlugin;
import dev.pipecd.plugin.platform.LiveStatePlugin;
import dev.pipecd.plugin.platform.PlanPreviewPlugin;
import dev.pipecd.plugin.stage.Stage;
import dev.pipecd.plugin.stage.StageOwner;
import dev.pipecd.wire.plugin.description.DescribeRequest;
import dev.pipecd.wire.plugin.description.DescribeResponse;
import dev.pipecd.wire.plugin.description.PluginDescriptionGrpc;
import dev.pipecd.wire.plugin.description.StageDescription;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What a plugin says of itself: its roles, its stages with the JSON schemas of their options, and
/// those of its configuration.
public final class Described extends PluginDescriptionGrpc.PluginDescriptionImplBase {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final StageOwner plugin;

    public Described(StageOwner plugin) {
        this.plugin = plugin;
    }

    /// Every stage the plugin runs by its name, each followed by what undoes it.
    public static Map<String, Stage<?>> stages(StageOwner plugin) {
        var all = new LinkedHashMap<String, Stage<?>>();
        for (var stage : plugin.stages()) {
            all.put(stage.name(), stage);
            stage.rollbacks()
                    .forEach(rollback -> all.put(rollback.stage().name(), rollback.stage()));
        }
        if (plugin instanceof DeploymentPlugin deploys) {
            all.put(deploys.quickSync().name(), deploys.quickSync());
            all.put(deploys.rollback().name(), deploys.rollback());
        }
        return all;
    }

    private static Set<String> undoing(StageOwner plugin) {
        var names = new HashSet<String>();
        for (var stage : plugin.stages())
            stage.rollbacks().forEach(rollback -> names.add(rollback.stage().name()));
        if (plugin instanceof DeploymentPlugin deploys) names.add(deploys.rollback().name());
        return names;
    }

    private List<String> roles() {
        var roles = new ArrayList<String>();
        if (plugin instanceof DeploymentPlugin) roles.add("deployment");
        if (plugin instanceof LiveStatePlugin) roles.add("live-state");
        if (plugin instanceof DriftPlugin) roles.add("drift");
        if (plugin instanceof PlanPreviewPlugin) roles.add("plan-preview");
        return roles;
    }

    @Override
    public void describe(DescribeRequest request, StreamObserver<DescribeResponse> observer) {
        var undoing = undoing(plugin);
        var described =
                DescribeResponse.newBuilder()
                        .addAllRoles(roles())
                        .setConfigSchema(OptionsSchema.of(plugin.configType()).toString())
                        .setTargetConfigSchema(
                                OptionsSchema.of(plugin.targetConfigType()).toString());
        for (var stage : stages(plugin).values())
            described.addStages(
                    StageDescription.newBuilder()
                            .setName(stage.name())
                            .setRollback(undoing.contains(stage.name()))
                            .setOptionsSchema(OptionsSchema.of(stage.options()).toString()));
        observer.onNext(described.build());
        observer.onCompleted();
    }

    /// The same for people and editors.
    public String json() {
        var told = JSON.createObjectNode().put("name", plugin.name());
        var roles = told.putArray("roles");
        roles().forEach(roles::add);
        told.set("config", OptionsSchema.of(plugin.configType()));
        told.set("deployTargetConfig", OptionsSchema.of(plugin.targetConfigType()));
        var stages = told.putObject("stages");
        stages(plugin)
                .forEach((name, stage) -> stages.set(name, OptionsSchema.of(stage.options())));
        return told.toPrettyString();
    }
}
