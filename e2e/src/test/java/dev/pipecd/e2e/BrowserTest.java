// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/// What people in browsers see of one quickstart, the real thing.
@Order(2)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class BrowserTest {
    private Quickstart quickstart;

    @BeforeAll
    void open() throws Exception {
        quickstart = new Quickstart(Installation.freePort()).start();
    }

    @AfterAll
    void close() throws Exception {
        quickstart.close();
    }

    /// The story. The picture of the README is taken here: `-Dpicture.write=true` puts it there.
    @Test
    @Order(1)
    void aCommitIsSeenApprovedAndPublishedInTheBrowser() throws Exception {
        var picture = Path.of("target", "deployment.png").toAbsolutePath();
        Files.createDirectories(picture.getParent());
        var change = quickstart.line("git commit");

        var story =
                BrowserScript.run(
                        "e2e:real",
                        Map.of("PIPECD_URL", address(), "PIPECD_SCREENSHOT", picture.toString()),
                        line -> {
                            if (line.equals("ready")) quickstart.paste(change);
                        });

        assertThat(story.said())
                .as(quickstart.tails())
                .contains("step: approve")
                .last()
                .asString()
                .startsWith("succeeded: ");
        assertThat(story.code()).isZero();
        assertThat(picture).isNotEmptyFile();
        if (Boolean.getBoolean("picture.write"))
            Files.copy(
                    picture,
                    BrowserScript.ROOT.resolve("docs/images/deployment.png"),
                    StandardCopyOption.REPLACE_EXISTING);
    }

    /// Eight tabs of one browser, behind a proxy that cuts their stream every ten seconds.
    @Test
    @Order(2)
    void eightTabsShareOneStreamAndMissNothingHoweverOftenItIsCut() throws Exception {
        var demo = new GitRepository(quickstart.data().resolve("repo"), URI.create(address()));
        var enough = quickstart.home().resolve("enough");

        var walk =
                BrowserScript.run(
                        "e2e:tabs",
                        Map.of("PIPECD_URL", address()),
                        line -> hear(line, demo, enough));

        assertThat(walk.said()).as(quickstart.tails()).last().isEqualTo("succeeded");
        assertThat(walk.code()).isZero();
    }

    private String address() {
        return "http://localhost:" + quickstart.port();
    }

    private static void hear(String line, GitRepository demo, Path enough) {
        switch (line) {
            case "commit: Count aloud" -> demo.write("site/app.pipecd.yaml", counting(enough));
            case "commit: Touch both" -> demo.write("site/note", "1").write("broken/note", "1");
            case "commit: Touch the broken one" -> demo.write("broken/note", "2");
            case "enough" -> Shell.run(demo.directory(), "touch", enough.toString());
            default -> {}
        }
        if (!line.startsWith("commit: ")) return;
        demo.git("add", "--all");
        demo.git("commit", "--quiet", "-m", line.substring("commit: ".length()));
    }

    /// Writes lines until there is a certain file, then waits for approval.
    private static String counting(Path enough) {
        return """
        apiVersion: pipecd.dev/v1beta1
        kind: Application
        spec:
          name: site
          planner:
            alwaysUsePipeline: true
          pipeline:
            stages:
              - name: SCRIPT_RUN
                with:
                  run: |
                    i=0
                    until [ -e '%s' ]; do i=$((i + 1)); echo "line $i"; sleep 0.2; done
                    echo "That is enough"
              - name: WAIT_APPROVAL
                with:
                  approvers:
                    - hello-pipecd
        """
                .formatted(enough);
    }
}
