// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.plugin.stage.StageRun;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/// What a script is told about its deployment, on top of the host's own environment; people's `env`
/// wins.
final class ScriptEnvironment {
    private static final ObjectMapper JSON = new ObjectMapper();

    private ScriptEnvironment() {}

    static Map<String, String> of(StageRun<ScriptStage.Options> run, boolean rollback) {
        var deployment = run.deployment();
        var application = deployment.application();
        var trigger = deployment.trigger();
        var environment = new LinkedHashMap<String, String>();
        environment.put("SR_DEPLOYMENT_ID", deployment.id());
        environment.put("SR_APPLICATION_ID", application.id());
        environment.put("SR_APPLICATION_NAME", application.name());
        environment.put("SR_TRIGGERED_AT", String.valueOf(trigger.at().getEpochSecond()));
        environment.put("SR_TRIGGERED_COMMIT_HASH", trigger.commit());
        environment.put("SR_TRIGGERED_COMMANDER", trigger.person());
        environment.put("SR_REPOSITORY_URL", application.repositoryUrl());
        environment.put("SR_SUMMARY", deployment.summary());
        environment.put("SR_IS_ROLLBACK", String.valueOf(rollback));
        environment.put("SR_CONTEXT_RAW", context(run, rollback));
        application
                .labels()
                .forEach((key, value) -> {
                    // The system takes no such name; the label is still in SR_CONTEXT_RAW.
                    if (key.indexOf('=') < 0)
                        environment.put("SR_LABELS_" + key.toUpperCase(Locale.ROOT), value);
                });
        environment.putAll(run.options().env());
        environment.replaceAll((_, value) -> value.replace("\0", ""));
        return environment;
    }

    private static String context(StageRun<ScriptStage.Options> run, boolean rollback) {
        var deployment = run.deployment();
        var application = deployment.application();
        var trigger = deployment.trigger();
        var context =
                JSON.createObjectNode()
                        .put("deploymentID", deployment.id())
                        .put("applicationID", application.id())
                        .put("applicationName", application.name())
                        .put("triggeredAt", trigger.at().getEpochSecond())
                        .put("triggeredCommitHash", trigger.commit())
                        .put("triggeredCommander", trigger.person())
                        .put("repositoryURL", application.repositoryUrl())
                        .put("summary", deployment.summary());
        var labels = context.putObject("labels");
        application.labels().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(label -> labels.put(label.getKey(), label.getValue()));
        return context.put("isRollback", rollback).toString();
    }
}
