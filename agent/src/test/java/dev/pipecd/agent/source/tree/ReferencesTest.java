// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.internal.storage.dfs.InMemoryRepository;
import org.eclipse.jgit.lib.Constants;
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
    void whatIsLongerThanAnyPathIsNone() {
        var longest = "../" + "a".repeat(4_093);

        assertThat(References.in(longest.getBytes(StandardCharsets.UTF_8)))
                .containsExactly(longest);
        assertThat(References.in((longest + "a").getBytes(StandardCharsets.UTF_8))).isEmpty();
    }

    @Test
    void whatIsRememberedIsBoundedByWhatItWeighs() throws IOException {
        var references = new References();
        try (var repository = new InMemoryRepository(new DfsRepositoryDescription("large"));
                var inserter = repository.newObjectInserter()) {
            for (var file = 0; file < 400; file++) {
                var text = new StringBuilder();
                for (var path = 0; path < 15; path++)
                    text.append("../%d-%d%s\n".formatted(file, path, "a".repeat(1_000)));
                var blob =
                        inserter.insert(
                                Constants.OBJ_BLOB,
                                text.toString().getBytes(StandardCharsets.UTF_8));
                inserter.flush();
                try (var reader = repository.newObjectReader()) {
                    assertThat(references.of(reader, blob)).hasSize(15);
                }
            }
        }

        assertThat(references.bytes()).isBetween(4_000_000L, 4L << 20);
    }

    @Test
    void aPathIsMeantFromAFolderAndStaysInTheRepository() {
        assertThat(References.from("apps/site", "../../base/./x")).contains("base/x");
        assertThat(References.from("apps/site", "../..")).contains("");
        assertThat(References.from("apps/site", "../../../x")).isEmpty();
    }
}
