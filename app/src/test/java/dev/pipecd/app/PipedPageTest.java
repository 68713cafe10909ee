// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.launch.FlagsPage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Keeps `docs/reference/piped.md` equal to the commands. `-Dpages.write=true` writes the page.
final class PipedPageTest {
    private static final Path PAGE = Path.of("../docs/reference/piped.md");

    @Test
    void everyCommandAndFlagOfTheCodeIsOnThePageAndNoOther() throws Exception {
        var page =
                FlagsPage.of(
                        """
                        # piped: commands and flags

                        Written from the code by `PipedPageTest`; the [guide](../guides/agent.md) shows them at work. `piped piped` is the old name of `piped run`;
                        `piped check-plugin` is for [writers of plugins](../guides/write-a-plugin.md#the-conformance-kit) and has no flags but its own. Flags are written `--flag=value` or `--flag value`, switches alone or with `=true`
                        and `=false`, before the command or after it; the last of several counts. Exit codes: 0 done, 1 it failed, 2 the command line is wrong.
                        """,
                        dev.pipecd.agent.Piped.commandLine(List.of("host"), Piped.FURTHER));

        if (Boolean.getBoolean("pages.write")) Files.writeString(PAGE, page);

        assertThat(PAGE).as("-Dpages.write=true writes %s", PAGE).hasContent(page);
    }
}
