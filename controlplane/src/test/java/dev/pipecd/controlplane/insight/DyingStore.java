// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.insight;

import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.util.List;
import java.util.OptionalLong;

/// Dies after a number of writes: the one under way is done, and nobody is told.
public final class DyingStore implements InsightStore {
    private final InsightStore store;
    private int left;

    public DyingStore(InsightStore store, int left) {
        this.store = store;
        this.left = left;
    }

    @Override
    public Mark mark() {
        return store.mark();
    }

    @Override
    public List<Deployment> completedBehind(String id, int limit) {
        return store.completedBehind(id, limit);
    }

    @Override
    public News after(long place, int limit) {
        return store.after(place, limit);
    }

    @Override
    public OptionalLong reachedAt(long place) {
        return store.reachedAt(place);
    }

    @Override
    public List<Deployment> writtenSince(
            long second, DeploymentStatus status, Cursor last, int limit) {
        return store.writtenSince(second, status, last, limit);
    }

    @Override
    public void count(List<Delivery> deliveries, Mark mark) {
        if (left-- <= 0) {
            // half of it, as if the store had no transactions
            store.count(deliveries.subList(0, deliveries.size() / 2), store.mark());
            throw new IllegalStateException("crash");
        }
        store.count(deliveries, mark);
    }

    @Override
    public boolean sumUp(int limit) {
        return store.sumUp(limit);
    }

    @Override
    public List<Day> days(Question question) {
        return store.days(question);
    }

    @Override
    public List<ApplicationCount> applications(ProjectId project) {
        return store.applications(project);
    }
}
