// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.piped;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.KeyMatches;
import dev.pipecd.controlplane.project.Projects;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.PipedKey;

/// Checks the key of an agent on every call: a disabled agent or a deleted key is refused from the
/// next call on.
public final class PipedKeys {
    private final PipedStore store;
    private final Projects projects;
    private final KeyMatches matches;

    public PipedKeys(PipedStore store, Projects projects, KeyMatches matches) {
        this.store = store;
        this.projects = projects;
        this.matches = matches;
    }

    public Caller.Agent verify(ProjectId project, PipedId id, String key) {
        if (projects.find(project).isEmpty()) throw unauthenticated();
        var piped = store.known(id).orElseThrow(PipedKeys::unauthenticated);
        if (piped.getDisabled() || !piped.getProjectId().equals(project.value()))
            throw unauthenticated();
        var hashes = piped.getKeysList().stream().map(PipedKey::getHash).toList();
        if (!matches.matches("piped " + id, hashes, key)) throw unauthenticated();
        return new Caller.Agent(project, id);
    }

    private static Problem unauthenticated() {
        return new Problem(
                Problem.Code.UNAUTHENTICATED,
                "Unauthenticated",
                "Check project, piped id and key of the agent, and that it is enabled.");
    }
}
