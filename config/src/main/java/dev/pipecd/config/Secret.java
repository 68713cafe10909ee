// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.function.UnaryOperator;

/// A value that no log, message or JSON ever shows. It is written in the document itself or,
/// better, as `env:NAME` or `file:PATH`; references are followed each time it is revealed, so a
/// rotated file is seen.
public final class Secret {
    public static final String MASK = "******";
    private static final int LARGEST_FILE = 1 << 20;

    private final Source source;
    private final String name;
    private final UnaryOperator<String> decoding;

    private Secret(Source source, String name, UnaryOperator<String> decoding) {
        this.source = source;
        this.name = name;
        this.decoding = decoding;
    }

    /// Nothing was written.
    public static Secret none() {
        return new Secret(new Nothing(), "secret", text -> text);
    }

    /// What a document says under the given name: the secret itself or a reference to it.
    public static Secret written(String name, String text) {
        if (text.isEmpty()) return none();
        if (text.startsWith("env:"))
            return new Secret(new Variable(text.substring(4)), name, value -> value);
        if (text.startsWith("file:")) return inFile(name, text.substring(5));
        return new Secret(new Text(text), name, value -> value);
    }

    /// Whether a text says where the secret is instead of being it.
    public static boolean isReference(String text) {
        return text.startsWith("env:") || text.startsWith("file:");
    }

    /// The content of a file, without the newline editors leave at its end.
    public static Secret inFile(String name, String path) {
        return path.isEmpty() ? none() : new Secret(new InFile(path), name, value -> value);
    }

    /// The same secret, written in Base64.
    public Secret base64() {
        return then(text -> {
            try {
                // Line breaks are what `base64` writes after each 76 characters.
                return new String(
                        Base64.getDecoder().decode(text.replaceAll("\\s", "")),
                        StandardCharsets.UTF_8);
            } catch (IllegalArgumentException e) {
                // Without the cause: its text would quote characters of the secret.
                throw unusable(MASK, "Base64", "Encode it, for example with `base64 -w0`.");
            }
        });
    }

    /// The same secret without white space around it.
    public Secret stripped() {
        return then(String::strip);
    }

    private Secret then(UnaryOperator<String> next) {
        return new Secret(source, name, text -> next.apply(decoding.apply(text)));
    }

    public boolean isSet() {
        return !(source instanceof Nothing);
    }

    /// Whether the document itself holds it, so that it can be looked at on any machine.
    public boolean standsHere() {
        return source instanceof Text;
    }

    /// The value itself; empty when none was written. A reference that leads nowhere is a problem.
    public String reveal() {
        return switch (source) {
            case Nothing _ -> "";
            case Text(var text) -> decoding.apply(text);
            case Variable(var variable) -> decoding.apply(valueOf(variable));
            case InFile(var path) -> decoding.apply(contentOf(path));
        };
    }

    private String valueOf(String variable) {
        var value = System.getenv(variable);
        if (value == null || value.isEmpty())
            throw unusable(
                    "env:" + variable,
                    "an environment variable that is set",
                    "Set it where this process starts.");
        return value;
    }

    private String contentOf(String path) {
        try (var in = Files.newInputStream(Path.of(path))) {
            var bytes = in.readNBytes(LARGEST_FILE + 1);
            if (bytes.length > LARGEST_FILE)
                throw unusable(
                        "file:" + path,
                        "at most " + LARGEST_FILE + " bytes",
                        "Name the file that holds the secret.");
            return new String(bytes, StandardCharsets.UTF_8).replaceFirst("(\\r?\\n)+\\z", "");
        } catch (IOException | InvalidPathException e) {
            throw unusable(
                    "file:" + path,
                    "a file this process may read",
                    "Check path, owner and mode: " + Unreadable.because(e));
        }
    }

    private Problem unusable(String value, String expected, String advice) {
        return new Problem(
                Problem.Code.SETTING_INVALID,
                "%s: %s (expected: %s)".formatted(name, value, expected),
                advice);
    }

    @Override
    @JsonValue
    public String toString() {
        return isSet() ? MASK : "";
    }

    private sealed interface Source {}

    private record Nothing() implements Source {}

    private record Text(String text) implements Source {}

    private record Variable(String name) implements Source {}

    private record InFile(String path) implements Source {}
}
