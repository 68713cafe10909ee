// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.domain.Problem.Blame;
import dev.pipecd.domain.Problem.Code;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// Keeps `docs/reference/error-codes.md` equal to the code. `-Dpages.write=true` writes the page.
final class ErrorCodesTest {
    private static final Path PAGE = Path.of("../docs/reference/error-codes.md");

    @Test
    void everyCodeIsOnThePage() throws Exception {
        var page = page();

        if (Boolean.getBoolean("pages.write")) Files.writeString(PAGE, page);

        assertThat(PAGE).hasContent(page);
    }

    private static String page() {
        var text =
                new StringBuilder(
                        """
                        # Error codes

                        Written from the code by `ErrorCodesTest`. Every problem has a code, a message of the form `name: value (expected: …)` and
                        advice. The code says whose move it is, so that alarms ring only for what is our own fault.
                        """);
        for (var blame : Blame.values()) {
            text.append("\n## Whose move: ").append(who(blame)).append("\n\n");
            text.append("| Code | What it means | gRPC status |\n|---|---|---|\n");
            for (var code : Code.values())
                if (code.blame() == blame)
                    text.append(
                            "| `%s` | %s | %s |\n".formatted(code, code.meaning(), status(code)));
        }
        return text.toString();
    }

    private static String who(Blame blame) {
        return switch (blame) {
            case USER -> "the person who wrote or asked";
            case OPERATOR -> "the operator of server or agent";
            case US -> "ours";
        };
    }

    /// As the control plane's doors answer it.
    private static String status(Code code) {
        return switch (code.kind()) {
            case INVALID -> "INVALID_ARGUMENT";
            case EXISTS -> "ALREADY_EXISTS";
            case DENIED -> "PERMISSION_DENIED";
            case CONFLICT -> "FAILED_PRECONDITION";
            case EXHAUSTED -> "RESOURCE_EXHAUSTED";
            case NOT_FOUND, UNAUTHENTICATED, UNAVAILABLE, INTERNAL -> code.kind().name();
        };
    }
}
