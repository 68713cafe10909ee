// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Eight tabs of one browser follow the real control plane through a proxy that cuts their stream
/// every ten seconds.
final class BrowserTabsTest {
    @Test
    void eightTabsShareOneStreamAndMissNothingHoweverOftenItIsCut() throws Exception {
        try (var quickstart = new Quickstart(Installation.freePort()).start()) {
            var address = "http://localhost:" + quickstart.port();
            var demo = new GitRepository(quickstart.data().resolve("repo"), URI.create(address));
            var enough = quickstart.home().resolve("enough");

            var walk =
                    BrowserScript.run(
                            "e2e:tabs",
                            Map.of("PIPECD_URL", address),
                            line -> hear(line, demo, enough));

            assertThat(walk.code())
                    .as("%s\n%s", String.join("\n", walk.said()), quickstart.tails())
                    .isZero();
            assertThat(walk.said()).last().isEqualTo("succeeded");
        }
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
