// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.plugin;

import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Signs in as the registry asks for: with name and password, or with a token it names the giver
/// of.
final class Authorization {
    private static final Pattern PARAMETER = Pattern.compile("(\\w+)=\"([^\"]*)\"");
    private static final Duration TOKEN_LIMIT = Duration.ofSeconds(30);

    private final HttpClient http;
    private final Target target;
    private final Login login;
    private String header = "";

    Authorization(HttpClient http, Target target, Login login) {
        this.http = http;
        this.target = target;
        this.login = login;
    }

    String who() {
        return login.toString();
    }

    /// Only the registry itself is told who we are: uploads may lead to another host.
    HttpRequest on(HttpRequest.Builder request) {
        var built = request.build();
        return header.isEmpty() || !built.uri().getAuthority().equals(target.host())
                ? built
                : request.copy().setHeader("Authorization", header).build();
    }

    /// After a refusal: false when there is nothing else to try.
    boolean renewed(HttpResponse<String> refusal) throws IOException, InterruptedException {
        var challenge = refusal.headers().firstValue("www-authenticate").orElse("");
        var scheme = challenge.toLowerCase(Locale.ROOT);
        var before = header;
        if (scheme.startsWith("basic") && !login.isNobody()) header = "Basic " + login.basic();
        else if (scheme.startsWith("bearer")) header = token(challenge).orElse("");
        return !header.isEmpty() && !header.equals(before);
    }

    private Optional<String> token(String challenge) throws IOException, InterruptedException {
        var asked = new HashMap<String, String>();
        PARAMETER
                .matcher(challenge)
                .results()
                .forEach(found -> asked.put(found.group(1), found.group(2)));
        var realm = asked.getOrDefault("realm", "");
        // The password must not travel readable where the registry itself would not be asked so.
        if (!realm.startsWith("https://") && !(target.insecure() && realm.startsWith("http://")))
            return Optional.empty();
        var request = HttpRequest.newBuilder(URI.create(realm + query(realm, asked)));
        if (!login.isNobody()) request.header("Authorization", "Basic " + login.basic());
        var answer = http.send(request.timeout(TOKEN_LIMIT).build(), BodyHandlers.ofString());
        return answer.statusCode() == 200 ? tokenIn(answer.body()) : Optional.empty();
    }

    private static String query(String realm, Map<String, String> asked) {
        var query = new StringBuilder(realm.contains("?") ? "&" : "?");
        for (var name : new String[] {"service", "scope"})
            if (asked.containsKey(name))
                query.append(name)
                        .append('=')
                        .append(
                                URLEncoder.encode(
                                        asked.getOrDefault(name, ""), StandardCharsets.UTF_8))
                        .append('&');
        return query.append("client_id=pipectl").toString();
    }

    private static Optional<String> tokenIn(String body) {
        try {
            var json = JsonParser.parseString(body).getAsJsonObject();
            return Optional.ofNullable(
                            json.has("token") ? json.get("token") : json.get("access_token"))
                    .filter(JsonElement::isJsonPrimitive)
                    .map(token -> "Bearer " + token.getAsString());
        } catch (JsonParseException | IllegalStateException e) {
            return Optional.empty();
        }
    }
}
