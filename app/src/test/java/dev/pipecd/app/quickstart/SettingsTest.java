// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import at.favre.lib.crypto.bcrypt.BCrypt;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SettingsTest {
    @TempDir Path folder;

    @Test
    void theEncryptionKeyHas64BytesForItsOwnerOnly() throws Exception {
        settings(8080).ensureControlPlane();

        var key = place(8080).encryptionKey();
        assertThat(Files.size(key)).isEqualTo(64);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
                .isEqualTo("rw-------");
    }

    @Test
    void thePasswordIsStoredAsItsHash() throws Exception {
        settings(8080).ensureControlPlane();

        var hash =
                Files.readString(place(8080).controlPlaneConfig())
                        .lines()
                        .filter(line -> line.contains("passwordHash"))
                        .findFirst()
                        .orElseThrow()
                        .replaceAll(".*'(.*)'", "$1");
        assertThat(BCrypt.verifyer().verify("hello-pipecd".toCharArray(), hash).verified).isTrue();
    }

    @Test
    void aSecondRunKeepsFilesAndTheirEdits() throws Exception {
        settings(8080).ensureControlPlane();
        var file = place(8080).controlPlaneConfig();
        Files.writeString(file, Files.readString(file) + "# edited\n");
        var before = Files.readString(file);
        var key = Files.readAllBytes(place(8080).encryptionKey());

        settings(8080).ensureControlPlane();

        assertThat(Files.readString(file)).isEqualTo(before);
        assertThat(Files.readAllBytes(place(8080).encryptionKey())).isEqualTo(key);
    }

    @Test
    void anotherPortIsFollowedInBothFiles() throws Exception {
        settings(8080).ensureControlPlane();
        settings(8080).writePiped("p1", "secret");

        settings(18080).ensureControlPlane();
        settings(18080).followPort(place(18080).pipedConfig());

        assertThat(Files.readString(place(18080).controlPlaneConfig()))
                .contains("  address: http://localhost:18080\n");
        assertThat(Files.readString(place(18080).pipedConfig()))
                .contains("  apiAddress: localhost:18080\n");
    }

    @Test
    void aHalfWrittenFileIsNeverSeen() throws Exception {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("control-plane.yaml.new"), "half of i");

        settings(8080).ensureControlPlane();

        assertThat(Files.readString(place(8080).controlPlaneConfig()))
                .contains("kind: ControlPlane\n");
        assertThat(folder.resolve("control-plane.yaml.new")).doesNotExist();
    }

    private Place place(int port) {
        return new Place(folder, port);
    }

    private Settings settings(int port) {
        return new Settings(place(port), new SecureRandom());
    }
}
