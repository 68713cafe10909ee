// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/// A real OpenID provider in a process of its own; its packages are installed once.
final class OidcProviderProcess implements AutoCloseable {
    private static final Path SOURCES = Path.of("src/test/oidc");
    private static final Path PLACE = Path.of("target/oidc");
    private static final Pattern FORM = Pattern.compile("action=\"([^\"]+)\"");

    private final Process process;
    private final String issuer;

    private OidcProviderProcess(Process process, String issuer) {
        this.process = process;
        this.issuer = issuer;
    }

    static OidcProviderProcess start() throws IOException, InterruptedException {
        var node = Path.of(output(Path.of("."), "../scripts/find-node").strip());
        Files.createDirectories(PLACE);
        for (var file : new String[] {"package.json", "package-lock.json", "provider.mjs"})
            Files.write(PLACE.resolve(file), Files.readAllBytes(SOURCES.resolve(file)));
        if (!Files.exists(PLACE.resolve("node_modules/oidc-provider/package.json")))
            output(
                    PLACE,
                    node.resolve("npm").toString(),
                    "ci",
                    "--prefer-offline",
                    "--no-audit",
                    "--no-fund");
        var process =
                new ProcessBuilder(node.resolve("node").toString(), "provider.mjs")
                        .directory(PLACE.toFile())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        var told = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        var issuer = String.valueOf(told.readLine());
        warm(issuer);
        return new OidcProviderProcess(process, issuer);
    }

    /// Its first answers take long, for which a server of ours would not wait.
    private static void warm(String issuer) throws IOException, InterruptedException {
        try (var http = HttpClient.newHttpClient()) {
            for (var path : new String[] {"/.well-known/openid-configuration", "/jwks"})
                http.send(
                        HttpRequest.newBuilder(URI.create(issuer + path)).build(),
                        HttpResponse.BodyHandlers.discarding());
        }
    }

    private static String output(Path folder, String... command)
            throws IOException, InterruptedException {
        var process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .start();
        var text = new String(process.getInputStream().readAllBytes(), UTF_8);
        if (process.waitFor() != 0)
            throw new AssertionError(
                    "%s failed; node 20 or later and a package registry are needed:%n%s"
                            .formatted(String.join(" ", command), text));
        return text;
    }

    String issuer() {
        return issuer;
    }

    /// As a person in a browser: fills in the pages until one leads back to us.
    URI logIn(URI authorize, String name) throws Exception {
        try (var browser =
                HttpClient.newBuilder()
                        .cookieHandler(new CookieManager())
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .build()) {
            var request = HttpRequest.newBuilder(authorize).build();
            while (true) {
                var answer = browser.send(request, HttpResponse.BodyHandlers.ofString());
                var location = answer.headers().firstValue("location");
                if (location.isPresent()) {
                    var next = answer.uri().resolve(location.get());
                    if (!next.toString().startsWith(issuer)) return next;
                    request = HttpRequest.newBuilder(next).build();
                } else request = filledIn(answer, name);
            }
        }
    }

    private static HttpRequest filledIn(HttpResponse<String> page, String name) {
        var form = FORM.matcher(page.body());
        if (!form.find()) throw new AssertionError("no form on the page: " + page.body());
        var consent = page.body().contains("value=\"consent\"");
        return HttpRequest.newBuilder(page.uri().resolve(form.group(1)))
                .header("content-type", "application/x-www-form-urlencoded")
                .POST(
                        HttpRequest.BodyPublishers.ofString(
                                consent
                                        ? "prompt=consent"
                                        : "prompt=login&login=" + name + "&password=any"))
                .build();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        process.waitFor();
    }
}
