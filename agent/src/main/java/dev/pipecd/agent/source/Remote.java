// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import com.google.re2j.Pattern;
import dev.pipecd.agent.source.tree.Texts;
import dev.pipecd.domain.Problem;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/// Where a repository is fetched from: checked before git sees it, masked before people do.
record Remote(String address) {
    private static final Pattern TRANSPORT = Pattern.compile("^[A-Za-z0-9+.-]+::");
    private static final Pattern CREDENTIALS =
            Pattern.compile("(?i)([a-z][a-z0-9+.-]*://)[^/\\s]*@");
    private static final Pattern HTTP =
            Pattern.compile("(?i)^(https?)://(?:([^/]*)@)?([^/@?#]+)(.*)$");
    private static final Pattern URL =
            Pattern.compile("(?i)^(?:https?|ssh|git)://(?:[^/]*@)?([^/:@]+)(?::[0-9]+)?/(.+)$");
    private static final Pattern SCP = Pattern.compile("^(?:[^/@:]+@)?([^/:@]+):(.+)$");

    /// Refuses what git would take for an option or for a program to run.
    Remote {
        if (address.isBlank()
                || address.startsWith("-")
                || TRANSPORT.matcher(address).find()
                || address.chars().anyMatch(Character::isISOControl))
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "remote: \"%s\" (expected: an https, ssh, git or file address, or a path)"
                            .formatted(Texts.visible(masked(address))),
                    "Correct `repositories[].remote` in the agent's configuration.");
    }

    /// The address without user and password.
    String masked() {
        return masked(address);
    }

    static String masked(String text) {
        return CREDENTIALS.matcher(text).replaceAll("$1");
    }

    /// The address as git is told it: who we are to a web server it learns in another way, as
    /// everyone can read the arguments of a process.
    String forGit() {
        return withoutLogin(address);
    }

    /// Other addresses keep their user, as `git@` belongs to them.
    static String withoutLogin(String address) {
        return HTTP.matcher(address).matches() ? masked(address) : address;
    }

    /// The same server asked as the same person, unless the address says who asks.
    Remote signedInAs(Remote other) {
        var http = HTTP.matcher(address);
        var login = HTTP.matcher(other.address);
        if (!http.matches() || http.group(2) != null) return this;
        if (!login.matches() || login.group(2) == null) return this;
        return new Remote(
                "%s://%s@%s%s"
                        .formatted(http.group(1), login.group(2), http.group(3), http.group(4)));
    }

    boolean isLocal() {
        return !isHttp() && host().isEmpty();
    }

    boolean isHttp() {
        return HTTP.matcher(address).matches();
    }

    boolean isSsh() {
        return address.startsWith("ssh://")
                || (!address.contains("://") && SCP.matcher(address).matches());
    }

    /// Scheme, host and port of a web server; the host alone of any other.
    String origin() {
        var http = HTTP.matcher(address);
        return http.matches()
                ? "%s://%s".formatted(http.group(1), http.group(3)).toLowerCase(Locale.ROOT)
                : host();
    }

    /// Empty for a repository on a disk.
    String host() {
        var url = URL.matcher(address);
        var scp = SCP.matcher(address);
        if (url.matches()) return url.group(1);
        return isSsh() && scp.matches() ? scp.group(1) : "";
    }

    /// What stands before the `@` of a web address.
    GitAccess.Login login() {
        var http = HTTP.matcher(address);
        var written = http.matches() && http.group(2) != null ? http.group(2) : "";
        var colon = written.indexOf(':');
        var name = colon < 0 ? written : written.substring(0, colon);
        var password = colon < 0 ? "" : written.substring(colon + 1);
        return new GitAccess.Login(decoded(name), decoded(password)).checked();
    }

    /// `%40` is an `@`; what is no such sequence stays as it is.
    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    /// The page that shows a commit, or nothing where there is none (a repository on a disk).
    String commitUrl(String hash) {
        var url = URL.matcher(address);
        var scp = SCP.matcher(address);
        if (url.matches()) return page(url.group(1), url.group(2), hash);
        if (!address.contains("://") && scp.matches())
            return page(scp.group(1), scp.group(2), hash);
        return "";
    }

    private static String page(String host, String path, String hash) {
        var start = 0;
        var end = path.length();
        while (start < end && path.charAt(start) == '/') start++;
        while (end > start && path.charAt(end - 1) == '/') end--;
        var name = path.substring(start, end);
        if (name.endsWith(".git")) name = name.substring(0, name.length() - 4);
        var word = host.equals("bitbucket.org") ? "commits" : "commit";
        return "https://%s/%s/%s/%s".formatted(host, name, word, hash);
    }
}
