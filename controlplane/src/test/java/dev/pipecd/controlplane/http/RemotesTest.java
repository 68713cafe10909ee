// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RemotesTest {
    @ParameterizedTest
    @CsvSource({
        "git@github.com:org/repo.git, github.com/org/repo",
        "https://github.com/org/repo, github.com/org/repo",
        "https://user:pw@GitHub.com/org/repo.git/, github.com/org/repo",
        "ssh://git@github.com:22/org/repo.git, github.com/org/repo",
        "git://github.com/org/repo, github.com/org/repo",
        "ssh://git@git.example.com:2222/org/repo, git.example.com:2222/org/repo",
        "https://github.com/Org/Repo, github.com/Org/Repo",
        "file:///srv/repo.git, file:/srv/repo",
        "/srv/repo/, file:/srv/repo",
        "/srv/repo/.git, file:/srv/repo",
        "/srv/a:b, file:/srv/a:b",
    })
    void oneRepositoryHasOneName(String remote, String normal) {
        assertThat(Remotes.normal(remote)).isEqualTo(normal);
    }
}
