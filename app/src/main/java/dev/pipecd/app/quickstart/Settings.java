// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import at.favre.lib.crypto.bcrypt.BCrypt;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;

/// The configuration files of the two programs: written when missing, then the reader's to edit;
/// only the port follows `--port`.
final class Settings {
    static final String PROJECT = "quickstart";
    static final String USER = "hello-pipecd";
    static final String PASSWORD = "hello-pipecd";
    static final String REPOSITORY = "demo";

    private final Place place;
    private final SecureRandom random;

    Settings(Place place, SecureRandom random) {
        this.place = place;
        this.random = random;
    }

    void ensureControlPlane() throws IOException {
        if (!Files.exists(place.encryptionKey())) {
            WholeFile.writeSecret(place.encryptionKey(), randomBytes(64));
        }
        if (!Files.exists(place.webhookSecret())) {
            var secret = HexFormat.of().formatHex(randomBytes(32));
            WholeFile.writeSecret(
                    place.webhookSecret(), (secret + "\n").getBytes(StandardCharsets.UTF_8));
        }
        if (!Files.exists(place.controlPlaneConfig())) {
            WholeFile.write(place.controlPlaneConfig(), controlPlane());
        }
        followPort(place.controlPlaneConfig());
    }

    void writePiped(String id, String key) throws IOException {
        WholeFile.writeSecret(place.pipedKey(), (key + "\n").getBytes(StandardCharsets.UTF_8));
        // After the key: a piped.yaml that exists has its key.
        WholeFile.write(place.pipedConfig(), piped(id));
    }

    void followPort(Path file) throws IOException {
        var text = Files.readString(file);
        var moved =
                text.replaceAll(
                        "(?m)^(\\s*(?:address: http://|apiAddress: )localhost:)\\d+$",
                        "$1" + place.port());
        if (!moved.equals(text)) WholeFile.write(file, moved);
    }

    private String controlPlane() {
        return """
        # Written by `pipecd quickstart` when missing; yours to edit.
        apiVersion: pipecd.dev/v1beta1
        kind: ControlPlane
        spec:
          address: http://%s
          datastore:
            type: SQLITE
            config:
              path: %s
          filestore:
            type: LOCAL
            config:
              path: %s
          webhook:
            secret: %s
          projects:
            - id: %s
              desc: The project of the quickstart
              staticAdmin:
                username: %s
                passwordHash: %s
        """
                .formatted(
                        place.address(),
                        quoted(place.controlPlaneData().resolve("pipecd.db").toString()),
                        quoted(place.controlPlaneData().resolve("files").toString()),
                        quoted("file:" + place.webhookSecret()),
                        PROJECT,
                        USER,
                        quoted(BCrypt.withDefaults().hashToString(10, PASSWORD.toCharArray())));
    }

    private String piped(String id) {
        return """
        # Written by `pipecd quickstart` when missing; yours to edit.
        apiVersion: pipecd.dev/v1beta1
        kind: Piped
        spec:
          projectID: %s
          pipedID: %s
          pipedKeyFile: %s
          apiAddress: %s
          repositories:
            - repoId: %s
              remote: %s
              branch: main
          plugins:
            - name: wait
              url: builtin:wait
            - name: waitapproval
              url: builtin:waitapproval
            - name: scriptrun
              url: builtin:scriptrun
        """
                .formatted(
                        PROJECT,
                        id,
                        quoted(place.pipedKey().toString()),
                        place.address(),
                        REPOSITORY,
                        quoted(place.repository().toString()));
    }

    /// A folder may be called anything; in single quotes YAML leaves it alone.
    static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    private byte[] randomBytes(int length) {
        var bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
