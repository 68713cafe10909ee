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

    @ParameterizedTest
    @CsvSource({
        "https://ann:pw@host.example/x.git, https://host.example/x.git",
        "HTTPS://ann:p@w@host.example/x, HTTPS://host.example/x",
        "http://token@host.example:81/x, http://host.example:81/x",
        "ssh://git@host.example/x, ssh://git@host.example/x",
        "git@host.example:x/y.git, git@host.example:x/y.git",
        "/srv/a@b, /srv/a@b",
    })
    void gitAndOthersSeeAWebAddressWithoutItsLogin(String remote, String seen) {
        assertThat(new Remote(remote).forGit()).isEqualTo(seen);
        assertThat(Repository.shown(remote)).isEqualTo(seen);
    }

    @ParameterizedTest
    @CsvSource({
        "https://ann:p%40w+%25@host.example/x, ann, p@w+%",
        "https://ann:100%@host.example/x, ann, 100%",
        "https://token@host.example/x, token, ''",
        "https://host.example/a@b, '', ''",
    })
    void aLoginIsReadFromAWebAddress(String remote, String name, String password) {
        assertThat(new Remote(remote).login()).isEqualTo(new GitAccess.Login(name, password));
    }

    @Test
    void credentialsAreMaskedInWhateverGitSays() {
        assertThat(Remote.masked("fatal: unable to access 'https://ann:pw@host/x/': refused"))
                .isEqualTo("fatal: unable to access 'https://host/x/': refused");
    }
}
