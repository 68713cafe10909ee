// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.domain.Problem;
import dev.pipecd.plugin.host.options.OptionsReader;
import dev.pipecd.plugin.stage.StageOwner;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.plugin.deployment.ExecutePluginInput;
import dev.pipecd.wire.plugin.deployment.ExecuteStageRequest;
import dev.pipecd.wire.rules.RequestRules;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Walks the way of a first stage while nobody waits: cold, its rules and options alone take most
/// of a second.
record WarmUp(RequestRules rules, List<? extends StageOwner> plugins) implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(WarmUp.class);

    @Override
    public void run() {
        var commit = Commit.newBuilder().setHash("none");
        var deployment =
                Deployment.newBuilder()
                        .setTrigger(DeploymentTrigger.newBuilder().setCommit(commit));
        var input =
                ExecutePluginInput.newBuilder()
                        .setDeployment(deployment)
                        .setStage(PipelineStage.newBuilder().setId("none"));
        var wrong = rules.check(ExecuteStageRequest.newBuilder().setInput(input).build());
        log.debug("{} rules of an empty request are broken", wrong.size());
        for (var plugin : plugins) {
            for (var stage : plugin.stages()) options(stage.options());
        }
    }

    private static void options(Class<?> type) {
        try {
            OptionsReader.read("{\"none\": 0}".getBytes(StandardCharsets.UTF_8), type);
        } catch (Problem e) {
            log.debug("No options: {}", e.message());
        }
    }
}
