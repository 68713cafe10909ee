// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ReferencesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            textBlock =
                    """
                    - ../../base | ../../base
                    source = "../modules/x" | ../modules/x
                    repository: file://../common | //../common
                    "${path.module}/../x/y.tf" | /../x/y.tf
                    . "$(dirname "$0")/../lib.sh" | /../lib.sh
                    $HERE/../lib.sh | /../lib.sh
                    ls ../manifests/*.yaml | ../manifests/
                    See ../charts/日本. | ../charts/日本
                    a/../../b?ref=x | a/../../b
                    cd ../.. | ../..
                    """)
    void aPathThatClimbsIsSeen(String text, String path) {
        assertThat(References.in(text.getBytes(StandardCharsets.UTF_8))).containsExactly(path);
    }

    @ParameterizedTest
    @CsvSource({"and so on...", "1..5", "a..b/c", "x/..y", "./here", "'...'"})
    void otherDotsAreNoPath(String text) {
        assertThat(References.in(text.getBytes(StandardCharsets.UTF_8))).isEmpty();
    }

    @Test
    void aPathIsMeantFromAFolderAndStaysInTheRepository() {
        assertThat(References.from("apps/site", "../../base/./x")).contains("base/x");
        assertThat(References.from("apps/site", "../..")).contains("");
        assertThat(References.from("apps/site", "../../../x")).isEmpty();
    }
}
