// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RemoteTest {
    @ParameterizedTest
    @CsvSource({
        "https://github.com/org/repo.git, https://github.com/org/repo/commit/abc",
        "https://user:secret@github.com/org/repo, https://github.com/org/repo/commit/abc",
        "git@github.com:org/repo.git, https://github.com/org/repo/commit/abc",
        "ssh://git@host.example:2222/org/repo.git, https://host.example/org/repo/commit/abc",
        "git@bitbucket.org:org/repo.git, https://bitbucket.org/org/repo/commits/abc",
        "file:///srv/repo.git, ''",
        "/srv/repo.git, ''",
        "../repo, ''",
    })
    void aCommitHasAPageWhereTheRemoteIsAWebHost(String remote, String page) {
        assertThat(new Remote(remote).commitUrl("abc")).isEqualTo(page);
    }

    @Test
    void credentialsAreMaskedInWhateverGitSays() {
        assertThat(Remote.masked("fatal: unable to access 'https://ann:pw@host/x/': refused"))
                .isEqualTo("fatal: unable to access 'https://host/x/': refused");
    }
}
