// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import com.google.protobuf.Message;
import dev.pipecd.controlplane.change.Change;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/// A shelf beside which other processes write: the trail tells which documents have changed, and
/// before each answer it is asked for what was committed until then. So no answer is older than its
/// question, and only what changed is read again.
final class FollowedShelf<T extends Message> implements Documents.Listener<T> {
    private static final int MOST_BOARDS = 2_000;
    private static final int MOST_CHANGED = 50;

    /// What the trail does not tell (refreshed by another process, edited by hand) is seen after
    /// this time.
    private static final Duration LIFE = Duration.ofMinutes(1);

    private final Documents<T> documents;
    private final Shelf.Order<T> order;
    private final LongSupplier nanos;
    private final Map<String, Board> boards = new ConcurrentHashMap<>();

    /// On which board a document stands.
    private final Map<String, String> places = new ConcurrentHashMap<>();

    FollowedShelf(Documents<T> documents, Shelf.Order<T> order, LongSupplier nanos) {
        this.documents = documents;
        this.order = order;
        this.nanos = nanos;
        documents.follow(this::heard);
        documents.listen(this);
    }

    Collection<T> all(String board) {
        return board(board).all();
    }

    Optional<T> find(String board, String id) {
        return board(board).find(id);
    }

    /// Confirmed before it is looked for: what is committed by now is marked on the boards there
    /// are, and a new one reads it.
    private Board board(String name) {
        documents.confirm();
        if (boards.size() >= MOST_BOARDS && !boards.containsKey(name)) {
            places.clear(); // first: a board that stays has its documents there
            boards.clear();
        }
        return boards.computeIfAbsent(name, Board::new);
    }

    private void heard(Change change) {
        changed(change.piped(), change.id());
        mark(Shelf.ALL, change.id());
    }

    private void changed(String name, String id) {
        var before = places.get(id);
        if (before != null && !before.equals(name)) mark(before, id);
        mark(name, id);
    }

    private void mark(String name, String id) {
        var board = boards.get(name);
        if (board != null) board.changed(id);
    }

    @Override
    public void committed(Optional<T> before, T after) {
        changed(order.boardOf().apply(after), order.idOf().apply(after));
    }

    @Override
    public void removed(T value) {
        changed(order.boardOf().apply(value), order.idOf().apply(value));
    }

    /// Read under its lock, so that who comes second does not take it for up to date meanwhile.
    private final class Board {
        private final String name;
        private final Map<String, T> standing = new HashMap<>();
        private final Set<String> changed = new HashSet<>();
        private boolean known;
        private long readAt;

        Board(String name) {
            this.name = name;
        }

        void changed(String id) {
            synchronized (changed) {
                if (changed.size() <= MOST_CHANGED) changed.add(id); // else all are read again
            }
        }

        synchronized Collection<T> all() {
            refresh();
            return List.copyOf(standing.values());
        }

        synchronized Optional<T> find(String id) {
            refresh();
            return Optional.ofNullable(standing.get(id));
        }

        /// What changes while it is read is marked again.
        private void refresh() {
            Set<String> marked;
            synchronized (changed) {
                marked = Set.copyOf(changed);
                changed.clear();
            }
            var fresh = known && nanos.getAsLong() - readAt < LIFE.toNanos();
            known = false; // unless this succeeds
            if (fresh && marked.size() <= MOST_CHANGED) marked.forEach(this::readAgain);
            else read();
            known = true;
        }

        private void read() {
            readAt = nanos.getAsLong();
            standing.keySet().forEach(id -> places.remove(id, name));
            standing.clear();
            for (var value : documents.list(order.load().apply(name), "Id", Integer.MAX_VALUE))
                put(value);
        }

        private void readAgain(String id) {
            standing.remove(id);
            places.remove(id, name);
            documents
                    .find(id)
                    .filter(found -> order.boardOf().apply(found).equals(name))
                    .filter(order.kept())
                    .ifPresent(this::put);
        }

        private void put(T value) {
            var id = order.idOf().apply(value);
            standing.put(id, value);
            places.put(id, name);
        }
    }
}
