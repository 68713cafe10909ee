// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.show;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.ToNumberPolicy;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.DumperOptions.FlowStyle;

/// JSON for those who would rather read YAML.
final class Yaml {
    private static final Gson GSON =
            new GsonBuilder().setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE).create();

    private Yaml() {}

    /// Without the end of the last line.
    static String of(String json) {
        var options = new DumperOptions();
        options.setDefaultFlowStyle(FlowStyle.BLOCK);
        options.setSplitLines(false);
        return new org.yaml.snakeyaml.Yaml(options)
                .dump(GSON.fromJson(json, Object.class))
                .stripTrailing();
    }
}
