// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

import dev.pipecd.config.Datastore;
import dev.pipecd.domain.Problem;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/// Where a database server is and who we are there, read from the form that the public system
/// takes: `user:password@tcp(host:3306)/database?tls=true`.
///
/// @param address `host:port`, or the path of a socket
/// @param unix whether the address is a socket
public record Dsn(
        String user,
        String password,
        String address,
        boolean unix,
        String database,
        Map<String, String> parameters) {
    private static final int PORT = 3306;
    private static final Pattern PLACE = Pattern.compile("(?:(\\w+)(?:\\((.*)\\))?)?");

    public Dsn {
        parameters = Map.copyOf(parameters);
    }

    /// As the public system puts it together, except that what is read from a file loses its last
    /// line end.
    public static Dsn of(Datastore.Server server) {
        var parsed = ofUrl(server);
        if (!asksFiles(server)) return parsed;
        return new Dsn(
                server.username().reveal(),
                server.password().reveal(),
                parsed.address(),
                parsed.unix(),
                parsed.database(),
                parsed.parameters());
    }

    /// As far as the document alone tells.
    public static Dsn ofUrl(Datastore.Server server) {
        var url = server.url().reveal();
        return parse(asksFiles(server) && !url.contains("(") ? place(url) : url, server.database());
    }

    private static boolean asksFiles(Datastore.Server server) {
        return server.username().isSet() && server.password().isSet();
    }

    /// Beside the two files `url` is only `host:port`, and may carry parameters.
    private static String place(String url) {
        var end = url.indexOf('/');
        return end < 0
                ? "tcp(" + url + ")"
                : "tcp(" + url.substring(0, end) + ")" + url.substring(end);
    }

    /// @param database wins over the one in the text
    public static Dsn parse(String text, String database) {
        var slash = lastSlash(text);
        var head = slash < 0 ? text : text.substring(0, slash);
        var tail = slash < 0 ? "" : text.substring(slash + 1);
        var question = tail.indexOf('?');
        var named = question < 0 ? tail : tail.substring(0, question);
        var at = head.lastIndexOf('@');
        var who = at < 0 ? "" : head.substring(0, at);
        var colon = who.indexOf(':');
        var place = PLACE.matcher(head.substring(at + 1));
        if (!place.matches()) throw malformed("url");
        var protocol = place.group(1) == null ? "tcp" : place.group(1);
        var address = place.group(2) == null ? "" : place.group(2);
        var chosen = database.isEmpty() ? named : database;
        if (chosen.isEmpty()) throw malformed("database");
        return new Dsn(
                colon < 0 ? who : who.substring(0, colon),
                colon < 0 ? "" : who.substring(colon + 1),
                address(protocol, address),
                protocol.equals("unix"),
                chosen,
                question < 0 ? Map.of() : parameters(tail.substring(question + 1)));
    }

    /// The last slash that is neither in the address nor in a parameter.
    private static int lastSlash(String text) {
        var close = text.lastIndexOf(')');
        var question = text.indexOf('?', Math.max(close, text.lastIndexOf('@')));
        var end = question < 0 ? text.length() : question;
        var slash = text.lastIndexOf('/', end);
        return slash > close && slash > text.lastIndexOf('@', end) ? slash : -1;
    }

    private static String address(String protocol, String address) {
        return switch (protocol) {
            case "unix" -> {
                if (address.isEmpty()) throw malformed("url");
                yield address;
            }
            case "tcp", "tcp4", "tcp6" -> {
                var host = address.isEmpty() ? "127.0.0.1" : address;
                yield host.matches(".*[^:]:\\d+|\\[.*]:\\d+") ? host : host + ":" + PORT;
            }
            default -> throw malformed("url");
        };
    }

    private static Map<String, String> parameters(String text) {
        var found = new LinkedHashMap<String, String>();
        for (var pair : text.split("&", -1)) {
            if (pair.isEmpty()) continue;
            var equals = pair.indexOf('=');
            if (equals <= 0 || !pair.substring(0, equals).matches("\\w+")) throw malformed("url");
            found.put(pair.substring(0, equals), decoded(pair.substring(equals + 1)));
        }
        return found;
    }

    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            throw malformed("url");
        }
    }

    /// Never with the value: it may hold a password.
    private static Problem malformed(String key) {
        return new Problem(
                Problem.Code.SETTING_INVALID,
                key.equals("database")
                        ? "datastore.config.database: missing (expected: the name of a database)"
                        : "datastore.config.url: malformed (expected: user:password@tcp(host:3306))",
                "Write `url: user:password@tcp(host:3306)` and `database: name`, or both in `url` as"
                        + " `user:password@tcp(host:3306)/name`.");
    }

    /// For people: without password.
    public String place() {
        return address + "/" + database;
    }

    @Override
    public String toString() {
        return place();
    }
}
