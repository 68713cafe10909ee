// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deliver;

import dev.pipecd.cli.flag.CalledWrongly;
import dev.pipecd.wire.api.RegisterEventRequest;

/// An event with the commit it comes from: what the flags leave out, the CI system tells. By the
/// commit the deployments of the event are known.
final class EventOrder {
    private EventOrder() {}

    static RegisterEventRequest of(RegisterEventRequest given, Ci ci) {
        if (!given.getCommitHash().isEmpty()) return given;
        if (ci.commit().isEmpty())
            throw new CalledWrongly(
                    "--commit-hash: missing (expected: the commit that was built; the deployments of the event are known by it)");
        var order = given.toBuilder().setCommitHash(ci.commit());
        if (given.getCommitUrl().isEmpty()) order.setCommitUrl(ci.commitUrl());
        if (given.getCommitTitle().isEmpty()) order.setCommitTitle(ci.commitTitle());
        if (given.getCommitAuthor().isEmpty()) order.setCommitAuthor(ci.commitAuthor());
        return order.build();
    }
}
