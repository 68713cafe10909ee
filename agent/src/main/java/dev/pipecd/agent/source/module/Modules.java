// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source.module;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;

/// The submodules that a commit's `.gitmodules` names, by their folder.
public final class Modules {
    public static final String FILE = ".gitmodules";
    public static final Modules NONE = new Modules(Map.of());
    private static final String SECTION = "submodule";

    private final Map<String, String> addresses;

    private Modules(Map<String, String> addresses) {
        this.addresses = Map.copyOf(addresses);
    }

    public static Modules read(byte[] content) throws ConfigInvalidException {
        var written = new Config();
        written.fromText(new String(content, StandardCharsets.UTF_8));
        var addresses = new HashMap<String, String>();
        for (var name : written.getSubsections(SECTION)) {
            var path = written.getString(SECTION, name, "path");
            var url = written.getString(SECTION, name, "url");
            if (path != null && url != null && !isLeftOut(written, name))
                addresses.put(withoutEnd(path), url);
        }
        return new Modules(addresses);
    }

    private static boolean isLeftOut(Config written, String name) {
        return "none".equals(written.getString(SECTION, name, "update"));
    }

    /// Where the submodule in this folder is fetched from; nothing for a folder that is not named,
    /// or that git is told to leave alone.
    ///
    /// @param parent the address that the repository itself is fetched from
    public Optional<String> address(String folder, String parent) {
        return Optional.ofNullable(addresses.get(folder)).map(url -> resolved(url, parent));
    }

    /// `../x` is beside the repository, `./x` below it, whatever kind of address that has.
    private static String resolved(String url, String parent) {
        if (!url.startsWith("./") && !url.startsWith("../")) return url;
        var base = withoutEnd(parent);
        var rest = url;
        var joint = "/";
        while (true) {
            if (rest.startsWith("./")) {
                rest = rest.substring(2);
            } else if (rest.startsWith("../")) {
                rest = rest.substring(3);
                var cut = Math.max(base.lastIndexOf('/'), base.lastIndexOf(':'));
                // More `..` than the address has folders: what stays is refused by who fetches it.
                if (cut < 0) return url;
                joint = base.substring(cut, cut + 1);
                base = base.substring(0, cut);
            } else {
                return base + joint + rest;
            }
        }
    }

    private static String withoutEnd(String address) {
        var end = address.length();
        while (end > 1 && address.charAt(end - 1) == '/') end--;
        return address.substring(0, end);
    }
}
