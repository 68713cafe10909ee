// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import java.nio.file.Files;
import java.nio.file.Path;

/// The distribution under test.
final class Dist {
    private Dist() {}

    static Path home() {
        var home =
                Path.of(System.getProperty("pipecd.dist", "../build/dist"))
                        .toAbsolutePath()
                        .normalize();
        if (!Files.isExecutable(home.resolve("bin/pipecd")))
            throw new AssertionError(
                    "%s: no distribution (expected: bin/pipecd in it). Run `make dist` first."
                            .formatted(home));
        return home;
    }

    static String bin(String name) {
        return home().resolve("bin").resolve(name).toString();
    }
}
