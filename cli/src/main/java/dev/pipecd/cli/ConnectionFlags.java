// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import dev.pipecd.cli.connect.ApiKey;
import dev.pipecd.cli.connect.Endpoint;
import dev.pipecd.cli.connect.Transport;
import java.nio.file.Path;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/// The flags that say which control plane is meant; taken before and after the sub-command's name.
final class ConnectionFlags {
    @Option(
            names = "--address",
            paramLabel = "HOST:PORT",
            scope = ScopeType.INHERIT,
            description = "Where the control plane answers. Required.")
    String address = "";

    @Option(
            names = "--api-key",
            paramLabel = "KEY",
            scope = ScopeType.INHERIT,
            description = "The API key. Others on this machine can see it: prefer --api-key-file.")
    String apiKey = "";

    @Option(
            names = "--api-key-file",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "The file that holds the API key. One of the two is required.")
    String apiKeyFile = "";

    @Option(
            names = "--insecure",
            arity = "0..1",
            paramLabel = "true|false",
            fallbackValue = "true",
            scope = ScopeType.INHERIT,
            description = "Connects without TLS. The key then travels readable by all in between.")
    boolean insecure;

    @Option(
            names = "--cert-file",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description =
                    "Trusts these certificates (PEM) instead of those the Java runtime trusts.")
    String certFile = "";

    Endpoint endpoint() {
        if (address.isEmpty())
            throw new CalledWrongly(
                    "--address: missing (expected: host:port of the control plane, for example localhost:8080)");
        if (apiKey.isEmpty() && apiKeyFile.isEmpty())
            throw new CalledWrongly(
                    "--api-key-file: missing (expected: a file with an API key, or --api-key with the key itself)");
        var key = apiKey.isEmpty() ? ApiKey.in(Path.of(apiKeyFile)) : ApiKey.given(apiKey);
        return new Endpoint(address, key, transport());
    }

    private Transport transport() {
        if (insecure) return new Transport.Plaintext();
        return certFile.isEmpty()
                ? new Transport.TrustedByRuntime()
                : new Transport.TrustedByFile(Path.of(certFile));
    }
}
