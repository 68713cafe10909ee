// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.flag;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.connect.ApiKey;
import dev.pipecd.cli.connect.Endpoint;
import dev.pipecd.cli.connect.Transport;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.config.launch.GoFlags;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.TypeConversionException;

/// The flags that say which control plane is meant; taken before and after the sub-command's name,
/// and from the environment where a flag is not given.
public final class ConnectionFlags {
    private static final String KEY = "PIPECTL_API_KEY";
    private static final String KEY_FILE = "PIPECTL_API_KEY_FILE";

    @Option(
            names = "--address",
            paramLabel = "HOST:PORT",
            scope = ScopeType.INHERIT,
            description = "Where the control plane answers. Required, here or in PIPECTL_ADDRESS.")
    String address = "";

    @Option(
            names = "--api-key",
            paramLabel = "KEY",
            scope = ScopeType.INHERIT,
            description =
                    "The API key. Others on this machine can see it: prefer --api-key-file or PIPECTL_API_KEY.")
    String apiKey = "";

    @Option(
            names = "--api-key-file",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description =
                    "The file that holds the API key, also as PIPECTL_API_KEY_FILE. A key is required.")
    String apiKeyFile = "";

    @Option(
            names = "--insecure",
            arity = "0..1",
            paramLabel = "true|false",
            fallbackValue = "true",
            scope = ScopeType.INHERIT,
            description =
                    "Connects without TLS, also as PIPECTL_INSECURE=true. The key then travels readable by all in between.")
    boolean insecure;

    @Option(
            names = "--cert-file",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description =
                    "Trusts these certificates (PEM) instead of those the Java runtime trusts, also as PIPECTL_CERT_FILE.")
    String certFile = "";

    public ApiConnection open(Terminal terminal) {
        var around = terminal.environment();
        var where = address.isEmpty() ? around.getOrDefault("PIPECTL_ADDRESS", "") : address;
        if (where.isEmpty())
            throw new CalledWrongly(
                    "--address: missing (expected: host:port of the control plane, for example localhost:8080, here or in PIPECTL_ADDRESS)");
        return ApiConnection.open(new Endpoint(where, key(around), transport(around)));
    }

    private ApiKey key(Map<String, String> around) {
        if (!apiKey.isEmpty()) return ApiKey.given(apiKey);
        if (!apiKeyFile.isEmpty()) return ApiKey.in(Path.of(apiKeyFile), "--api-key-file");
        if (!around.getOrDefault(KEY, "").isBlank())
            return new ApiKey(around.getOrDefault(KEY, "").strip(), KEY);
        if (!around.getOrDefault(KEY_FILE, "").isEmpty())
            return ApiKey.in(Path.of(around.getOrDefault(KEY_FILE, "")), KEY_FILE);
        throw new CalledWrongly(
                "--api-key-file: missing (expected: a file with an API key, --api-key with the key itself, or the key in PIPECTL_API_KEY)");
    }

    private Transport transport(Map<String, String> around) {
        if (insecure || insecure(around)) return new Transport.Plaintext();
        var file = certFile.isEmpty() ? around.getOrDefault("PIPECTL_CERT_FILE", "") : certFile;
        return file.isEmpty()
                ? new Transport.TrustedByRuntime()
                : new Transport.TrustedByFile(Path.of(file));
    }

    /// As the flag is written.
    private static boolean insecure(Map<String, String> around) {
        var text = around.getOrDefault("PIPECTL_INSECURE", "").strip();
        try {
            return !text.isEmpty() && new GoFlags.Booleans().convert(text);
        } catch (TypeConversionException e) {
            throw new CalledWrongly(
                    "PIPECTL_INSECURE: %s (expected: true or false)".formatted(text));
        }
    }
}
