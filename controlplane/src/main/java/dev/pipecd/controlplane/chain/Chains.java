// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.chain;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.access.Ownership;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.controlplane.paging.Page;
import dev.pipecd.wire.model.DeploymentChain;

/// Chains as people see them.
public final class Chains {
    private final ChainStore store;

    public Chains(ChainStore store) {
        this.store = store;
    }

    /// @param since updated at this second or later
    public Page<DeploymentChain> page(Caller caller, long since, Cursor after, int size) {
        caller.require(Resource.DEPLOYMENT_CHAIN, Action.LIST);
        return Page.read(
                Page.asked(size),
                after,
                c -> new Cursor(c.getUpdatedAt(), c.getId()),
                (behind, limit) -> store.list(caller.project(), since, behind, limit));
    }

    public DeploymentChain get(Caller caller, String id) {
        caller.require(Resource.DEPLOYMENT_CHAIN, Action.GET);
        return store.find(id)
                .filter(c -> c.getProjectId().equals(caller.project().value()))
                .orElseThrow(() -> Ownership.notFound("deployment chain", id));
    }
}
