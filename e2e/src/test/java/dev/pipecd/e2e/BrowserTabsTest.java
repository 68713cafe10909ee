// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
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

            var walk =
                    BrowserScript.run(
                            "e2e:tabs",
                            Map.of("PIPECD_URL", address),
                            line -> {
                                if (line.startsWith("commit: "))
                                    commit(demo, line.substring("commit: ".length()));
                            });

            assertThat(walk.code())
                    .as("%s\n%s", String.join("\n", walk.said()), quickstart.tails())
                    .isZero();
            assertThat(walk.said()).last().isEqualTo("succeeded");
        }
    }

    private static void commit(GitRepository demo, String title) {
        switch (title) {
            case "Count aloud" -> demo.write("site/app.pipecd.yaml", counting(100));
            case "Touch both" ->
                    demo.write("site/app.pipecd.yaml", counting(1)).write("broken/note", title);
            case "Touch the broken one" -> demo.write("broken/note", title);
            default -> throw new AssertionError(title);
        }
        demo.git("add", "--all");
        demo.git("commit", "--quiet", "-m", title);
    }

    /// Writes four lines a second, then waits for approval.
    private static String counting(int lines) {
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
                    for i in $(seq %1$d); do echo "line $i of %1$d"; sleep 0.25; done
              - name: WAIT_APPROVAL
                with:
                  approvers:
                    - hello-pipecd
        """
                .formatted(lines);
    }
}
