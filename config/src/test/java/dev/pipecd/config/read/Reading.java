// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.config.ConfigException;
import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.config.Loaded;
import dev.pipecd.config.Mistake;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.Warning;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// What tests say to the door and hear from it.
final class Reading {
    private Reading() {}

    static Loaded<ApplicationConfig> application(String text) {
        return Documents.application("app.pipecd.yaml", text.getBytes(StandardCharsets.UTF_8));
    }

    static Loaded<PipedConfig> piped(String text) {
        return Documents.piped("piped.yaml", text.getBytes(StandardCharsets.UTF_8));
    }

    static Loaded<ControlPlaneConfig> controlPlane(String text) {
        return Documents.controlPlane("cp.yaml", text.getBytes(StandardCharsets.UTF_8));
    }

    /// A control plane's document in which this is written, in one line, the third.
    static String controlPlaneSpec(String spec) {
        return "apiVersion: pipecd.dev/v1beta1\nkind: ControlPlane\nspec: {" + spec + "}\n";
    }

    static List<String> mistakes(Runnable reading) {
        var refused = catchThrowableOfType(ConfigException.class, reading::run);
        return refused == null
                ? List.of()
                : refused.mistakes().stream().map(Mistake::toString).toList();
    }

    static List<String> warnings(Loaded<?> loaded) {
        return loaded.warnings().stream().map(Warning::toString).toList();
    }
}
