// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.preview;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import dev.pipecd.cli.preview.Previews.Answers;
import dev.pipecd.wire.model.ApplicationPlanPreviewResult;
import dev.pipecd.wire.model.PlanPreviewCommandResult;
import dev.pipecd.wire.model.PluginPlanPreviewResult;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/// A plan preview in the public form, which actions of CI systems read.
final class PreviewJson {
    private PreviewJson() {}

    static String of(Answers answers) {
        var json = new JsonObject();
        json.add("Applications", list(answers.planned(), PreviewJson::planned));
        json.add("FailureApplications", list(answers.failed(), PreviewJson::failed));
        json.add("FailurePipeds", list(answers.agents(), PreviewJson::agent));
        return new GsonBuilder().serializeNulls().disableHtmlEscaping().create().toJson(json);
    }

    /// An empty list is null there.
    private static <T> JsonElement list(List<T> all, Function<T, JsonObject> each) {
        if (all.isEmpty()) return JsonNull.INSTANCE;
        var list = new JsonArray();
        all.forEach(one -> list.add(each.apply(one)));
        return list;
    }

    private static JsonObject planned(ApplicationPlanPreviewResult result) {
        var json = application(result);
        json.addProperty("SyncStrategy", result.getSyncStrategy().name());
        json.addProperty("PlanSummary", summary(result));
        json.addProperty("PlanDetails", details(result));
        json.addProperty("NoChange", result.getNoChange());
        json.add("PluginPlanResults", list(result.getPluginPlanResultsList(), PreviewJson::plugin));
        return json;
    }

    private static JsonObject failed(ApplicationPlanPreviewResult result) {
        var json = application(result);
        json.addProperty("Reason", result.getError());
        json.addProperty("PlanDetails", details(result));
        json.add("PluginPlanResults", list(result.getPluginPlanResultsList(), PreviewJson::plugin));
        return json;
    }

    @SuppressWarnings("deprecation") // old agents tell the kind, new ones their plugins
    private static JsonObject application(ApplicationPlanPreviewResult result) {
        var json = new JsonObject();
        json.addProperty("ApplicationID", result.getApplicationId());
        json.addProperty("ApplicationName", result.getApplicationName());
        json.addProperty("ApplicationURL", result.getApplicationUrl());
        json.addProperty("ApplicationKind", result.getApplicationKind().name());
        json.addProperty("ApplicationDirectory", result.getApplicationDirectory());
        json.addProperty("Env", result.getLabelsOrDefault("env", ""));
        json.addProperty("PlannedPluginNames", planners(result));
        json.addProperty("AllPluginNames", String.join(", ", result.getPluginNamesList()));
        return json;
    }

    static String planners(ApplicationPlanPreviewResult result) {
        return result.getPluginPlanResultsList().stream()
                .map(PluginPlanPreviewResult::getPluginName)
                .distinct()
                .collect(Collectors.joining(", "));
    }

    @SuppressWarnings("deprecation") // what old agents tell
    static String summary(ApplicationPlanPreviewResult result) {
        return result.getPlanSummary().toStringUtf8();
    }

    @SuppressWarnings("deprecation") // what old agents tell
    static String details(ApplicationPlanPreviewResult result) {
        return result.getPlanDetails().toStringUtf8();
    }

    private static JsonObject plugin(PluginPlanPreviewResult result) {
        var json = new JsonObject();
        json.addProperty("plugin_name", result.getPluginName());
        if (!result.getDeployTarget().isEmpty())
            json.addProperty("deploy_target", result.getDeployTarget());
        if (!result.getPlanSummary().isEmpty())
            json.addProperty("plan_summary", base64(result.getPlanSummary()));
        if (!result.getPlanDetails().isEmpty())
            json.addProperty("plan_details", base64(result.getPlanDetails()));
        if (!result.getDiffLanguage().isEmpty())
            json.addProperty("diff_language", result.getDiffLanguage());
        return json;
    }

    private static String base64(ByteString bytes) {
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    private static JsonObject agent(PlanPreviewCommandResult result) {
        var json = new JsonObject();
        json.addProperty("PipedID", result.getPipedId());
        json.addProperty("PipedName", result.getPipedName());
        json.addProperty("PipedURL", result.getPipedUrl());
        json.addProperty("Reason", result.getError());
        return json;
    }
}
