// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.plugin;

import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import java.net.URI;
import java.util.regex.Pattern;

/// Where a plugin goes. What it is made of is checked here: it becomes part of addresses.
record Target(String registry, String repository, String tag, boolean insecure) {
    private static final Pattern REGISTRY = Pattern.compile("[A-Za-z0-9.-]+(:\\d{1,5})?");
    private static final Pattern REPOSITORY =
            Pattern.compile("[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*");
    private static final Pattern TAG = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,127}");

    Target {
        require(REGISTRY, "--registry", registry, "host or host:port, without https://");
        require(REPOSITORY, "--repository", repository, "a name such as org/plugin, in lower case");
        require(TAG, "--tag", tag, "a tag such as v1.2.3");
    }

    private static void require(Pattern form, String flag, String value, String expected) {
        if (!form.matcher(value).matches())
            throw new Problem(
                    Code.SETTING_INVALID,
                    "%s: %s (expected: %s)".formatted(flag, value, expected),
                    "Correct the flag.");
    }

    /// Docker's registry answers under another name than people write.
    String host() {
        return registry.equals("docker.io") ? "registry-1.docker.io" : registry;
    }

    URI at(String path) {
        return URI.create(
                (insecure ? "http://" : "https://") + host() + "/v2/" + repository + path);
    }
}
