// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.index;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.agent.index.PathIndex.Reach;
import dev.pipecd.domain.ApplicationId;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PathIndexTest {
    private final PathIndex index = new PathIndex();

    @Test
    void aFileConcernsTheApplicationsOfItsFoldersAndNoNeighbour() {
        put("site", "apps/site");
        put("site-2", "apps/site-2");
        put("all", "apps");
        put("root", "");

        assertThat(concerned("apps/site/k8s/deployment.yaml"))
                .containsExactly("all", "root", "site");
        assertThat(concerned("apps/site-2")).containsExactly("all", "root", "site-2");
        assertThat(concerned("readme")).containsExactly("root");
    }

    @Test
    void twoApplicationsOfOneFolderAreBothConcerned() {
        put("blue", "apps/site");
        put("green", "apps/site");

        assertThat(concerned("apps/site/x")).containsExactly("blue", "green");
    }

    @Test
    void aPatternIsTriedWhereverItCanMatch() {
        put("below", "a", "shared/**");
        put("kind", "b", "**/*.tf");
        put("file", "c", "shared/version.txt");
        put("some", "d", "shared/x?/[ab].yaml");

        assertThat(concerned("shared/version.txt")).containsExactly("below", "file");
        assertThat(concerned("shared/x1/a.yaml")).containsExactly("below", "some");
        assertThat(concerned("modules/net/main.tf")).containsExactly("kind");
        assertThat(concerned("other/version.txt")).isEmpty();
    }

    @Test
    void aPatternThatTakesFilesBackConcernsNobodyByItself() {
        put("site", "apps/site", "!docs/**", " ");

        assertThat(concerned("docs/readme")).isEmpty();
    }

    @Test
    void whoIsPutAgainIsForgottenAtTheOldPlace() {
        put("site", "old", "shared/**");
        put("other", "old", "shared/**");

        put("site", "new", "common/**");

        assertThat(concerned("old/x")).containsExactly("other");
        assertThat(concerned("shared/x")).containsExactly("other");
        assertThat(concerned("new/x")).containsExactly("site");
        assertThat(concerned("common/x")).containsExactly("site");
    }

    @Test
    void whoIsRemovedIsConcernedByNothing() {
        put("site", "apps/site", "shared/**");
        index.remove(new ApplicationId("site"));
        index.remove(new ApplicationId("never-there"));

        assertThat(concerned("apps/site/x")).isEmpty();
        assertThat(concerned("shared/x")).isEmpty();
        assertThat(index.all()).isEmpty();
    }

    private void put(String id, String place, String... patterns) {
        index.put(new ApplicationId(id), new Reach("", "", List.of(place), List.of(patterns)));
    }

    private List<String> concerned(String path) {
        var found = new java.util.HashSet<ApplicationId>();
        index.concerned(path, found);
        var names = new TreeSet<String>();
        found.forEach(id -> names.add(id.value()));
        return List.copyOf(names);
    }
}
