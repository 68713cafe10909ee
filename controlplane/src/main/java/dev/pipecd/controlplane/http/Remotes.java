// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/// The many ways to write where a Git repository is, made one, so that they can be compared.
final class Remotes {
    private static final Pattern URL =
            Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://(?:[^/@]*@)?([^/:]*)(?::(\\d*))?(/.*)?");
    private static final Pattern SCP = Pattern.compile("(?:[^/@:]+@)?([^/:]+):(?!//)(.*)");
    private static final Set<String> USUAL_PORTS = Set.of("", "22", "80", "443", "9418");

    private Remotes() {}

    static String normal(String remote) {
        var text = remote.strip();
        var url = URL.matcher(text);
        if (url.matches()) {
            var path = url.group(4) == null ? "" : url.group(4);
            if (url.group(1).equalsIgnoreCase("file")) return "file:" + trimmed(path);
            var port = url.group(3) == null ? "" : url.group(3);
            return host(url.group(2))
                    + (USUAL_PORTS.contains(port) ? "" : ":" + port)
                    + trimmed(path);
        }
        var scp = SCP.matcher(text);
        if (!text.startsWith("/") && !text.startsWith(".") && scp.matches()) {
            var path = scp.group(2);
            return host(scp.group(1)) + trimmed(path.startsWith("/") ? path : "/" + path);
        }
        return "file:" + trimmed(text);
    }

    private static String host(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    private static String trimmed(String path) {
        var text = withoutSlashes(path);
        return withoutSlashes(text.endsWith(".git") ? text.substring(0, text.length() - 4) : text);
    }

    private static String withoutSlashes(String path) {
        var end = path.length();
        while (end > 0 && path.charAt(end - 1) == '/') end--;
        return path.substring(0, end);
    }
}
