// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.plugin;

import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// What `docker login` has left: most CI jobs have called it anyway.
final class DockerLogin {
    private DockerLogin() {}

    /// A file that is not there or not understood is no login.
    static Login of(Map<String, String> environment, String registry) {
        var folder =
                environment.getOrDefault(
                        "DOCKER_CONFIG", environment.getOrDefault("HOME", "") + "/.docker");
        var file = Path.of(folder, "config.json");
        try {
            var logins = at(JsonParser.parseString(Files.readString(file)), "auths");
            return Stream.of(registry, "https://" + registry, "https://" + registry + "/v1/")
                    .flatMap(name ->
                            logins
                                    .flatMap(all -> at(all, name))
                                    .flatMap(one -> at(one, "auth"))
                                    .stream())
                    .map(auth -> new Login(auth.getAsString(), file.toString()))
                    .findFirst()
                    .orElse(Login.NOBODY);
        } catch (IOException | JsonParseException | IllegalStateException e) {
            return Login.NOBODY;
        }
    }

    private static Optional<JsonElement> at(JsonElement json, String name) {
        return json.isJsonObject()
                ? Optional.ofNullable(json.getAsJsonObject().get(name))
                : Optional.empty();
    }
}
