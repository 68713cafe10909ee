// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source.module;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ModulesTest {
    @ParameterizedTest
    @CsvSource({
        "../lib.git, https://h/team/shop.git, https://h/team/lib.git",
        "../lib.git, https://h/team/shop.git/, https://h/team/lib.git",
        "../../other/lib, https://u:p@h/team/shop, https://u:p@h/other/lib",
        "./lib, file:///srv/shop.git, file:///srv/shop.git/lib",
        "./../lib, /srv/git/shop, /srv/git/lib",
        "../lib.git, git@h:team/shop.git, git@h:team/lib.git",
        "../lib.git, git@h:shop.git, git@h:lib.git",
        "../../../../../lib, h:x, ../../../../../lib",
        "https://other/lib.git, https://h/shop.git, https://other/lib.git",
        "git@h:lib.git, https://h/shop.git, git@h:lib.git"
    })
    void anAddressIsMeantFromWhereItsRepositoryIs(String url, String parent, String meant)
            throws Exception {
        var modules = read("[submodule \"any name\"]\n\tpath = app/lib\n\turl = " + url + "\n");

        assertThat(modules.address("app/lib", parent)).hasValue(meant);
        assertThat(modules.address("app", parent)).isEmpty();
    }

    @Test
    void whatGitLeavesAloneIsLeftAlone() throws Exception {
        assertThat(read("[submodule \"a\"]\n path = a\n url = ../a\n update = none\n"))
                .satisfies(none -> assertThat(none.address("a", "https://h/b")).isEmpty());
        assertThat(read("[submodule \"a\"]\n path = a\n").address("a", "https://h/b")).isEmpty();
        assertThat(read("").address("a", "https://h/b")).isEmpty();
    }

    @Test
    void aBrokenFileIsTold() {
        assertThatThrownBy(() -> read("[submodule \"a\n"))
                .isInstanceOf(ConfigInvalidException.class);
    }

    private static Modules read(String text) throws ConfigInvalidException {
        return Modules.read(text.getBytes(StandardCharsets.UTF_8));
    }
}
