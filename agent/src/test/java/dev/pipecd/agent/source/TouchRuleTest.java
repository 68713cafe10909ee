// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.domain.Problem;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TouchRuleTest {
    @Test
    void aFileInTheApplicationDirectoryTouchesIt() {
        var rule = new TouchRule(List.of("apps/site"), List.of(), List.of(), false);

        assertThat(rule.touches(List.of("apps/site/x"))).isTrue();
        assertThat(rule.touches(List.of("apps/sitemap/x", "README"))).isFalse();
        assertThat(rule.touches(List.of())).isFalse();
    }

    @Test
    void anyFileTouchesAnApplicationAtTheRoot() {
        assertThat(new TouchRule(List.of("./"), List.of(), List.of(), false).touches(List.of("x")))
                .isTrue();
    }

    @Test
    void anIgnoredFileIsDroppedButOthersBesideItStillCount() {
        var rule = new TouchRule(List.of("app"), List.of("shared/**"), List.of("**/*.md"), false);

        assertThat(rule.touches(List.of("app/README.md", "shared/x.md"))).isFalse();
        assertThat(rule.touches(List.of("app/README.md", "app/main"))).isTrue();
        assertThat(rule.touches(List.of("shared/lib/x"))).isTrue();
    }

    @Test
    void byThePublicRuleOneIgnoredFileMakesTheOthersNotCount() {
        var rule = new TouchRule(List.of("app"), List.of(), List.of("**/*.md"), true);

        assertThat(rule.touches(List.of("app/README.md", "app/main"))).isFalse();
        assertThat(rule.touches(List.of("app/main"))).isTrue();
        // An ignored file counts wherever it lies.
        assertThat(rule.reach()).containsExactly("app", "");
    }

    @ParameterizedTest
    @CsvSource({
        "docs, docs/deep/x, true",
        "docs/, docs/deep/x, true",
        "/docs, docs/x, true",
        "docs, other/docs/x, false",
        "*.md, README.md, true",
        "*.md, docs/README.md, false",
        "**/*.md, README.md, true",
        "**/*.md, a/b/README.md, true",
        "a/**/z, a/z, true",
        "a/**/z, a/b/c/z, true",
        "a/**, a/b/c, true",
        "a?c, abc, true",
        "a?c, a/c, false",
        "[a-c]x, bx, true",
        "[a-c]x, dx, false",
        "a.b, axb, false",
        "'\\*', '*', true",
        "'\\*', x, false",
        "(a|b), a, false",
    })
    void patternsAreThoseOfDockerIgnore(String pattern, String path, boolean matches) {
        assertThat(new PathPatterns("paths", List.of(pattern)).match(path)).isEqualTo(matches);
    }

    @Test
    void anExclamationMarkTakesBackWhatCameBefore() {
        var patterns =
                new PathPatterns("paths", List.of("docs/**", "!docs/keep.md", "docs/keep.md/x"));

        assertThat(patterns.match("docs/a")).isTrue();
        assertThat(patterns.match("docs/keep.md")).isFalse();
    }

    @Test
    void aPatternThatBacktracksElsewhereIsHarmlessHere() {
        var patterns = new PathPatterns("paths", List.of("*a".repeat(200) + "b"));

        assertThat(patterns.match("a".repeat(20_000))).isFalse();
    }

    @Test
    void aBrokenPatternIsToldWithItsSetting() {
        RepositoriesTest.assertProblem(
                () -> new TouchRule(List.of("app"), List.of(), List.of("[a-"), false),
                Problem.Code.CONFIG_INVALID,
                "trigger.onCommit.ignores: \"[a-\" (expected: a pattern with *, ?, ** or [a-z])");
    }
}
