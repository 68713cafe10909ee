// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import dev.pipecd.config.PipedConfig.DeployTarget;
import dev.pipecd.config.PipedConfig.Origin;
import dev.pipecd.config.PipedConfig.Plugin;
import dev.pipecd.config.PipedConfig.Running;
import dev.pipecd.config.PlatformNames;
import dev.pipecd.config.Secret;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.regex.Pattern;

/// The `plugins` of a Piped document.
final class PluginsReader {
    private static final List<String> SCHEMES = List.of("builtin", "file", "http", "https", "oci");
    private static final List<String> OF_FETCHED =
            List.of("checksum", "username", "password", "downloadTimeout");
    private static final Pattern PATH = Pattern.compile("[^:/]*/");

    /// A name and a password where they do not belong; a digest has such a sign too.
    private static final Pattern USER = Pattern.compile("^([a-z]+://)?.*@(?!sha256:)");

    private static final Pattern CHECKSUM = Pattern.compile("(sha256:)?[0-9a-f]{64}");
    private static final Pattern REGISTRY =
            Pattern.compile(
                    "oci://[A-Za-z0-9.-]+(:\\d{1,5})?/[a-z0-9]+([._/-]+[a-z0-9]+)*(:\\w[\\w.-]{0,127})?(@sha256:[0-9a-f]{64})?");

    private PluginsReader() {}

    @Keys(
            """
            plugins[].name | | | Once each; becomes a file name. The list may also be called `plugin`. Without it: `wait`, `waitapproval`, `scriptrun`.
            plugins[].url | a path, or `builtin:`, `file:`, `https:`, `http:`, `oci:` | `builtin:NAME` | Where the program is: [plugins](../guides/plugins.md). May also be called `sourceURL`. `http:` needs a `checksum`.
            plugins[].port | | any free one | Where it listens; once each.
            plugins[].config | | | The plugin's business; shown masked.
            plugins[].maxRunningStages | | | How many of its stages run at once; others wait for their turn. Ours.
            plugins[].isolate | | | A built-in plugin gets a process of its own. Ours.
            """)
    static List<Plugin> read(Field plugins) {
        var names = new Once("plugin");
        var ports = new Once("port");
        return plugins.each(plugin -> {
            var name = name(plugin.at("name"), names);
            var port = plugin.at("port");
            var number = port.count(0, 0, 65_535);
            if (number != 0) ports.check(port, Integer.toString(number));
            var origin = origin(plugin);
            var read =
                    new Plugin(
                            name,
                            url(plugin, name, origin),
                            number,
                            plugin.at("config").json(),
                            targets(plugin.at("deployTargets")),
                            origin,
                            new Running(
                                    plugin.at("maxRunningStages")
                                            .count(Plugin.MOST_STAGES, 0, 100_000),
                                    plugin.at("isolate").flag(false)));
            warnOfIgnored(plugin, read);
            return read;
        });
    }

    private static void warnOfIgnored(Fields plugin, Plugin read) {
        if (read.builtin().isPresent())
            OF_FETCHED.stream()
                    .map(plugin::at)
                    .filter(Field::isWritten)
                    .forEach(field ->
                            field.warn(
                                    "beside %s (ignored: it is not fetched)"
                                            .formatted(read.url())));
        else if (read.running().isolate())
            plugin.at("isolate").warn("true (ignored: only built-in plugins share a process)");
    }

    /// `sourceURL` is what the plugin architecture's first document called it.
    private static String url(Fields plugin, String name, Origin origin) {
        var older = plugin.at("sourceURL");
        var field = older.isWritten() ? older : plugin.at("url");
        if (older.isWritten() && plugin.at("url").isWritten())
            older.mistake("beside url (expected: only one of the two)");
        var url = field.signed("builtin:" + PlatformNames.plain(name));
        // A path, as the first document allows it: a slash, and no scheme before it.
        if (PATH.matcher(url).lookingAt()) return url;
        var scheme = url.substring(0, Math.max(0, url.indexOf(':')));
        if (!SCHEMES.contains(scheme))
            field.mistake(
                    "%s (expected: a path, or a URL with %s)"
                            .formatted(quoted(url), Telling.oneOf(SCHEMES)));
        else check(field, url, scheme, origin);
        return url;
    }

    private static String name(Field field, Once names) {
        var name = field.required();
        names.check(field, name);
        if (!name.isEmpty() && !Plugin.isName(name))
            field.mistake(
                    "%s (expected: a name without slashes, control characters and leading dot, of at most 200 bytes)"
                            .formatted(Telling.quoted(name)));
        return name;
    }

    @Keys(
            """
            plugins[].checksum | `sha256:` and 64 digits | | What the fetched program must be. Ours.
            plugins[].username, password | | | Shown to the registry or server the program comes from. Ours.
            plugins[].downloadTimeout | | | How long fetching may take. Ours.
            """)
    private static Origin origin(Fields plugin) {
        var checksum = plugin.at("checksum");
        var written = checksum.text();
        if (!written.isEmpty() && !isChecksum(written)) checksum.mistake(noChecksum(written));
        var username = plugin.at("username").text();
        var password = plugin.at("password").secret();
        if (username.isEmpty() && password.isSet())
            plugin.at("username").mistake("missing (expected: text, as there is a password)");
        return new Origin(
                written,
                username,
                password,
                plugin.at("downloadTimeout").duration(Plugin.FETCHED_WITHIN));
    }

    static boolean isChecksum(String text) {
        return CHECKSUM.matcher(text).matches();
    }

    static String noChecksum(String text) {
        return "%s (expected: sha256: and 64 hexadecimal digits)".formatted(Telling.quoted(text));
    }

    private static void check(Field field, String url, String scheme, Origin origin) {
        var unprotected = scheme.equals("http") && origin.checksum().isEmpty();
        if (unprotected)
            field.mistake(
                    "%s (expected: https, or a checksum beside it: anybody on the way can change the plugin)"
                            .formatted(quoted(url)));
        if (scheme.startsWith("http") && !url.matches("https?://[^/@?#]+(/.*)?"))
            field.mistake(
                    "not an address (expected: %s://HOST/PATH, a user and a password as username and password)"
                            .formatted(scheme));
        else if (scheme.startsWith("http") && !unprotected) checkReadable(field, url);
        if (scheme.equals("oci") && !REGISTRY.matcher(url).matches())
            field.mistake(
                    "%s (expected: oci://HOST/PATH[:TAG][@sha256:DIGEST])".formatted(quoted(url)));
    }

    /// What the agent cannot read it cannot ask. The address is not told: it may hold a signature.
    private static void checkReadable(Field field, String url) {
        try {
            var address = new URI(url);
            if (address.getHost() == null || address.getPort() > 65_535)
                field.mistake(
                        "not an address: its host or port (expected: letters, digits, dots and dashes, and a port up to 65535)");
        } catch (URISyntaxException e) {
            field.mistake(
                    "not an address: %s at character %d (expected: blanks, brackets and the like as %%20, %%7B, …)"
                            .formatted(e.getReason(), e.getIndex() + 1));
        }
    }

    private static String quoted(String url) {
        var shown = USER.matcher(Plugin.withoutSignature(url));
        return Telling.quoted(shown.replaceFirst("$1" + Secret.MASK + "@"));
    }

    @Keys(
            """
            plugins[].deployTargets[].name | | | A place it deploys to; once each per plugin.
            plugins[].deployTargets[].labels | | | Told to the plugin with its name.
            plugins[].deployTargets[].config | | | The plugin's business; shown masked.
            """)
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
