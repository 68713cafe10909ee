// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.agent.source.GitBinary.Ending;
import dev.pipecd.agent.source.tree.Texts;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.util.List;

/// Tells why git could not do its work, and whose move it is.
///
/// @param whose the repository as people are told of it
record Trouble(String whose, GitBinary git) {
    private static final String ROOM = "Give the agent's data directory room and write permission.";

    void unless(Remote remote, Ending ending) {
        switch (ending) {
            case Ending.Done() -> {}
            case Ending.NotStarted(var executable) ->
                    throw unreachable(remote, Complaint.noProgram(executable));
            case Ending.Hindered(var cause) -> throw unreachable(remote, Complaint.hindered(cause));
            case Ending.TimedOut(var deadline, var bytes) ->
                    throw unreachable(remote, Complaint.noAnswer(remote, deadline, bytes));
            case Ending.Failed failed when Complaint.isAboutDisk(failed) ->
                    throw new Problem(
                            Problem.Code.STORE_UNAVAILABLE, unusable(failed.said()), ROOM);
            case Ending.Failed failed -> throw unreachable(remote, complaint(remote, failed));
        }
    }

    /// For whoever does not wait any more; what was waited for may go on.
    Problem calledOff(Remote remote) {
        return unreachable(
                remote,
                new Complaint(
                        "the wait for it is called off",
                        "to wait until it is fetched",
                        "Nothing is to be done: whoever needs it asks again."));
    }

    Problem unusable(IOException cause) {
        return new Problem(
                Problem.Code.STORE_UNAVAILABLE, unusable(String.valueOf(cause)), ROOM, cause);
    }

    Problem noHead(Remote remote, String branch, List<String> branches) {
        if (branches.isEmpty())
            return new Problem(
                    Problem.Code.REPOSITORY_EMPTY,
                    "%s: %s has no commit (expected: branch %s)"
                            .formatted(whose, remote.masked(), branch),
                    "Push a first commit to it.");
        return new Problem(
                Problem.Code.REPOSITORY_BRANCH_MISSING,
                "%s: no branch \"%s\" (expected: one of %s%s)"
                        .formatted(
                                whose,
                                Texts.visible(branch),
                                Texts.visible(
                                        String.join(", ", branches.stream().limit(5).toList())),
                                branches.size() > 5 ? ", …" : ""),
                "Push the branch again, or name another one in `repositories[].branch` of the agent's"
                        + " configuration.");
    }

    private String unusable(String cause) {
        return "files of %s: %s (expected: folders the agent can read and write)"
                .formatted(whose, cause);
    }

    private Complaint complaint(Remote remote, Ending.Failed failed) {
        if (Complaint.isAboutHostKey(failed)
                && git.lookClosely(remote) instanceof Ending.Failed closer)
            return Complaint.of(remote, closer);
        return Complaint.of(remote, failed);
    }

    private Problem unreachable(Remote remote, Complaint complaint) {
        return new Problem(
                Problem.Code.REPOSITORY_UNREACHABLE,
                "%s: %s: %s (expected: %s)"
                        .formatted(whose, remote.masked(), complaint.cause(), complaint.expected()),
                complaint.advice());
    }
}
