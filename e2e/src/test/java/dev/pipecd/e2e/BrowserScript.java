// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// A script of `web/` that drives a real Chromium, heard line by line.
final class BrowserScript {
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private BrowserScript() {}

    record Ended(int code, List<String> said) {}

    static Ended run(String name, Map<String, String> environment, Consumer<String> hearing)
            throws IOException, InterruptedException {
        var npm = ROOT.resolve("scripts/npm").toString();
        var builder =
                new ProcessBuilder(npm, "run", "--silent", name)
                        .redirectInput(Path.of("/dev/null").toFile())
                        .redirectErrorStream(true);
        builder.environment().putAll(environment);
        builder.environment().put("CHROMIUM", chromium());
        var process = builder.start();
        var said = new ArrayList<String>();
        try (var lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                said.add(line);
                hearing.accept(line);
            }
        }
        if (!process.waitFor(60, TimeUnit.SECONDS)) process.destroyForcibly();
        return new Ended(process.waitFor(), said);
    }

    private static String chromium() {
        var found = Shell.call(ROOT, List.of(ROOT.resolve("scripts/find-chromium").toString()));
        if (found.code() != 0) throw new AssertionError(found.output());
        return found.output().strip().lines().toList().getLast();
    }
}
