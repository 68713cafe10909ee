// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.connect;

import java.nio.file.Path;

/// How the connection is secured.
public sealed interface Transport {
    /// `--insecure`: neither encrypted nor authenticated.
    record Plaintext() implements Transport {}

    /// TLS, trusting what the Java runtime trusts.
    record TrustedByRuntime() implements Transport {}

    /// TLS, trusting the certificates of `--cert-file` only.
    record TrustedByFile(Path certificates) implements Transport {}
}
