// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import java.io.File;
import java.io.FileInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/// A certificate for this machine that vouches for itself.
///
/// @param keys as Java takes it, with [#PASSWORD]
public record TestCertificate(KeyStore keys, File certificate, File key) {
    public static final char[] PASSWORD = "changeit".toCharArray();
    private static final Base64.Encoder PEM = Base64.getMimeEncoder(64, new byte[] {'\n'});

    public static TestCertificate in(Path folder) throws Exception {
        var store = folder.resolve("store.p12");
        var keytool =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        new String(PASSWORD),
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost,ip:127.0.0.1");
        if (new ProcessBuilder(keytool).inheritIO().start().waitFor() != 0)
            throw new IllegalStateException("keytool failed");
        var keys = KeyStore.getInstance("PKCS12");
        try (var in = new FileInputStream(store.toFile())) {
            keys.load(in, PASSWORD);
        }
        return new TestCertificate(
                keys,
                pem(
                        folder.resolve("certificate.pem"),
                        "CERTIFICATE",
                        keys.getCertificate("server").getEncoded()),
                pem(
                        folder.resolve("key.pem"),
                        "PRIVATE KEY",
                        keys.getKey("server", PASSWORD).getEncoded()));
    }

    private static File pem(Path file, String type, byte[] content) throws Exception {
        var text =
                "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                        .formatted(type, PEM.encodeToString(content), type);
        return Files.writeString(file, text).toFile();
    }
}
