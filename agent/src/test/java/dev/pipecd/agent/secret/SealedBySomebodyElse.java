// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.secret;

import dev.pipecd.config.Secret;
import dev.pipecd.config.SecretManagement;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A key pair, and a secret that a Go program sealed with it as the public control plane does.
public final class SealedBySomebodyElse {
    public static final String TEXT = "s3cret: pässword";

    private SealedBySomebodyElse() {}

    public static String sealed() {
        return read("sealed.txt");
    }

    public static SecretManagement.KeyPair pair() {
        return new SecretManagement.KeyPair(
                Secret.inFile("privateKeyFile", file("private-key.pem").toString()),
                Secret.inFile("publicKeyFile", file("public-key.pem").toString()));
    }

    static String read(String name) {
        try {
            return Files.readString(file(name));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    static Path file(String name) {
        var found = SealedBySomebodyElse.class.getResource(name);
        if (found == null) throw new AssertionError(name + " is not there");
        try {
            return Path.of(found.toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
