// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

import dev.pipecd.domain.ProjectId;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/// Passes on what changed to whoever listens in this process and, if it is not kept in the trail,
/// to the other servers; reads what listeners missed from the trail.
public final class Changes {
    private final ChangeStore trail;
    private final List<Consumer<Change>> listeners = new CopyOnWriteArrayList<>();
    private volatile Consumer<Change> others = _ -> {};

    public Changes(ChangeStore trail) {
        this.trail = trail;
    }

    /// Tells of something that the trail does not keep, here and elsewhere.
    public void passOn(Change change) {
        heard(change);
        others.accept(change);
    }

    /// Called after a change is committed, or heard of from another server. Listeners must not
    /// block.
    public void heard(Change change) {
        listeners.forEach(l -> l.accept(change));
    }

    /// How other servers are told of what the trail does not keep.
    void tellOthers(Consumer<Change> told) {
        others = told;
    }

    /// Listens to every project; the receiver filters. Close to stop.
    public Subscription listen(Consumer<Change> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /// What came after `cursor`, oldest first.
    public List<Change> since(ProjectId project, long cursor, int limit) {
        return trail.since(project, cursor, limit);
    }

    /// The newest place in the trail.
    public long latest() {
        return trail.latest();
    }

    /// Stops listening.
    public interface Subscription extends AutoCloseable {
        @Override
        void close();
    }

    /// The trail as last recorded; entries are added in the transaction of the change they tell of.
    public interface ChangeStore {
        List<Change> since(ProjectId project, long cursor, int limit);

        long latest();
    }
}
