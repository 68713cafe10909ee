// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The story as a person in a browser sees it, against the real thing. The picture of the README is
/// taken here: `-Dpicture.write=true` puts it there.
final class BrowserTest {
    @Test
    void aCommitIsSeenApprovedAndPublishedInTheBrowser() throws Exception {
        var picture = Path.of("target", "deployment.png").toAbsolutePath();
        Files.createDirectories(picture.getParent());
        try (var quickstart = new Quickstart(Installation.freePort()).start()) {
            var change = quickstart.line("git commit");

            var story =
                    BrowserScript.run(
                            "e2e:real",
                            Map.of(
                                    "PIPECD_URL",
                                    "http://localhost:" + quickstart.port(),
                                    "PIPECD_SCREENSHOT",
                                    picture.toString()),
                            line -> {
                                if (line.equals("ready")) quickstart.paste(change);
                            });

            assertThat(story.code())
                    .as("%s\n%s", String.join("\n", story.said()), quickstart.tails())
                    .isZero();
            assertThat(story.said())
                    .contains("step: approve")
                    .last()
                    .asString()
                    .startsWith("succeeded: ");
        }
        assertThat(picture).isNotEmptyFile();
        if (Boolean.getBoolean("picture.write"))
            Files.copy(
                    picture,
                    BrowserScript.ROOT.resolve("docs/images/deployment.png"),
                    StandardCopyOption.REPLACE_EXISTING);
    }
}
