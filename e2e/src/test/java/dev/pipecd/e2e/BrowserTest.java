// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// The story as a person in a browser sees it, against the real thing. The picture of the README is
/// taken here: `-Dpicture.write=true` puts it there.
final class BrowserTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @Test
    void aCommitIsSeenApprovedAndPublishedInTheBrowser() throws Exception {
        var picture = Path.of("target", "deployment.png").toAbsolutePath();
        Files.createDirectories(picture.getParent());
        try (var quickstart = new Quickstart(Installation.freePort()).start()) {
            var change = quickstart.line("git commit");

            var said = new ArrayList<String>();
            var code = story(quickstart, picture, said, () -> quickstart.paste(change));

            assertThat(code).as("%s\n%s", String.join("\n", said), quickstart.tails()).isZero();
            assertThat(said).contains("step: approve").last().asString().startsWith("succeeded: ");
        }
        assertThat(picture).isNotEmptyFile();
        if (Boolean.getBoolean("picture.write"))
            Files.copy(
                    picture,
                    ROOT.resolve("docs/images/deployment.png"),
                    StandardCopyOption.REPLACE_EXISTING);
    }

    private static int story(
            Quickstart quickstart, Path picture, List<String> said, Runnable commit)
            throws IOException, InterruptedException {
        var builder =
                new ProcessBuilder(
                                ROOT.resolve("scripts/npm").toString(),
                                "run",
                                "--silent",
                                "e2e:real")
                        .redirectErrorStream(true);
        builder.environment().put("PIPECD_URL", "http://localhost:" + quickstart.port());
        builder.environment().put("PIPECD_SCREENSHOT", picture.toString());
        builder.environment().put("CHROMIUM", chromium());
        var process = builder.start();
        try (var lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                said.add(line);
                if (line.equals("ready")) commit.run();
            }
        }
        if (!process.waitFor(60, TimeUnit.SECONDS)) process.destroyForcibly();
        return process.waitFor();
    }

    private static String chromium() {
        var found = Shell.call(ROOT, List.of(ROOT.resolve("scripts/find-chromium").toString()));
        if (found.code() != 0) throw new AssertionError(found.output());
        return found.output().strip().lines().toList().getLast();
    }
}
