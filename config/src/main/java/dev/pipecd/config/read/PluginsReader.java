// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import dev.pipecd.config.PipedConfig.DeployTarget;
import dev.pipecd.config.PipedConfig.Plugin;
import java.util.List;

/// The `plugins` of a Piped document.
final class PluginsReader {
    private static final List<String> SCHEMES = List.of("builtin", "file", "https", "oci");

    private PluginsReader() {}

    static List<Plugin> read(Field plugins) {
        var names = new Once("plugin");
        var ports = new Once("port");
        return plugins.each(plugin -> {
            var name = name(plugin.at("name"), names);
            var port = plugin.at("port");
            var number = port.count(0, 0, 65_535);
            if (number != 0) ports.check(port, Integer.toString(number));
            return new Plugin(
                    name,
                    url(plugin.at("url"), name),
                    number,
                    plugin.at("config").json(),
                    targets(plugin.at("deployTargets")));
        });
    }

    private static String name(Field field, Once names) {
        var name = field.required();
        names.check(field, name);
        // It becomes the name of a file.
        if (name.contains("/") || name.contains("\\") || name.startsWith("."))
            field.mistake(
                    "%s (expected: a name without slashes and leading dot)"
                            .formatted(Telling.quoted(name)));
        return name;
    }

    private static String url(Field field, String name) {
        var url = field.text("builtin:" + name);
        var scheme = url.substring(0, Math.max(0, url.indexOf(':')));
        if (scheme.equals("http"))
            field.warn(
                    "%s (anybody on the way can change the plugin; expected: https)"
                            .formatted(Telling.quoted(url)));
        else if (!SCHEMES.contains(scheme))
            field.mistake(
                    "%s (expected: a URL with %s)"
                            .formatted(Telling.quoted(url), Telling.oneOf(SCHEMES)));
        return url;
    }

    private static List<DeployTarget> targets(Field targets) {
        var names = new Once("deploy target of a plugin");
        return targets.each(target -> {
            var name = target.at("name");
            var written = name.required();
            names.check(name, written);
            return new DeployTarget(
                    written, target.at("labels").pairs(), target.at("config").json());
        });
    }
}
