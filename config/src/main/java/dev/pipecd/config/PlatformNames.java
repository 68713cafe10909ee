// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import java.util.Locale;
import java.util.Map;

/// What people call platforms, and the built-in plugins for them.
public final class PlatformNames {
    private static final Map<String, String> ALIASES =
            Map.of(
                    "k8s", "kubernetes",
                    "wait_approval", "waitapproval",
                    "script_run", "scriptrun",
                    "cloud_run", "cloudrun");

    private PlatformNames() {}

    /// `k8s_plugin`, `K8S` and `KUBERNETES` are all `kubernetes`; `script-run` and `script_run` are
    /// `scriptrun`.
    public static String plain(String written) {
        var bare = written.toLowerCase(Locale.ROOT).replaceFirst("[_-]plugin$", "");
        return ALIASES.getOrDefault(bare.replace('-', '_'), bare);
    }
}
