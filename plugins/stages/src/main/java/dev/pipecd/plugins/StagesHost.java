// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins;

import dev.pipecd.plugin.Plugin;
import dev.pipecd.plugins.approval.ApprovalStage;
import dev.pipecd.plugins.script.ScriptStage;
import dev.pipecd.plugins.wait.WaitStage;

/// Serves the stages that need no platform: wait, approval, script.
public final class StagesHost {
    private StagesHost() {}

    public static void main(String[] args) {
        Plugin.serve(args, WaitStage.plugin(), ApprovalStage.plugin(), ScriptStage.plugin());
    }
}
