// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.launch.FlagsPage;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// Keeps `docs/reference/pipecd.md` equal to the commands. `-Dpages.write=true` writes the page.
final class PipecdPageTest {
    private static final Path PAGE = Path.of("../docs/reference/pipecd.md");

    @Test
    void everyCommandAndFlagOfTheCodeIsOnThePageAndNoOther() throws Exception {
        var page =
                FlagsPage.of(
                        """
                        # pipecd: commands and flags

                        Written from the code by `PipecdPageTest`; the [guide](../guides/control-plane.md) shows them at work. `controlplane` is the same program. Flags are
                        written `--flag=value` or `--flag value`, switches alone or with `=true` and `=false`; the last of several counts. Exit codes: 0 done, 1 it failed, 2 the command line is wrong.
                        """,
                        Pipecd.commandLine());

        if (Boolean.getBoolean("pages.write")) Files.writeString(PAGE, page);

        assertThat(PAGE).as("-Dpages.write=true writes %s", PAGE).hasContent(page);
    }
}
