// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.launch;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;

/// Which version this is, as the build wrote it.
public final class Version {
    private Version() {}

    public static String text() {
        try (var in = Version.class.getResourceAsStream("version.txt")) {
            return in == null ? "unknown" : new String(in.readAllBytes(), UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
