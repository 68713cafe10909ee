// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import com.google.protobuf.Message;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Question;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// A shelf beside which other processes write: the trail tells which documents have changed, and
/// before each answer it is asked for what was committed until then. So no answer is older than its
/// question, and only what others changed is read again.
final class FollowedShelf<T extends Message> implements Shelf.Follower<T> {
    private static final int MOST_BOARDS = 2_000;
    private static final int MOST_CHANGED = 50;

    /// What the trail does not tell (refreshed by another process, edited by hand) is seen after
    /// this time.
    static final Duration LIFE = Duration.ofMinutes(1);

    private final Documents<T> documents;
    private final Shelf.Order<T> order;
    private final Duration life;
    private final LongSupplier nanos;
    private final Map<String, Board> boards = new ConcurrentHashMap<>();
    private final Heard heard = new Heard();

    /// On which board a document stands.
    private final Map<String, String> places = new ConcurrentHashMap<>();

    FollowedShelf(Documents<T> documents, Shelf.Order<T> order, Duration life, LongSupplier nanos) {
        this.documents = documents;
        this.order = order;
        this.life = life;
        this.nanos = nanos;
        documents.follow(this);
    }

    Collection<T> all(String board) {
        return board(board).all();
    }

    /// What is not there is looked for as of now: it may just have been added elsewhere.
    Optional<T> find(String board, String id) {
        var lately =
                Question.isTelling() && documents.trail().lookedLately()
                        ? known(board).find(id)
                        : Optional.<T>empty();
        return lately.or(() -> board(board).find(id));
    }

    /// Confirmed before it is looked for: what is committed by now is marked on the boards there
    /// are, and a new one reads it.
    private Board board(String name) {
        documents.trail().confirm();
        return known(name);
    }

    private Board known(String name) {
        if (boards.size() >= MOST_BOARDS && !boards.containsKey(name)) {
            places.clear(); // first: a board that stays has its documents there
            boards.clear();
        }
        return boards.computeIfAbsent(name, Board::new);
    }

    @Override
    public void changed(Change change) {
        heard.next(change.id());
        tell(change.piped(), change.id(), board -> board.changed(change.id()));
    }

    @Override
    public void stands(T value) {
        var id = order.idOf().apply(value);
        heard.next(id);
        var kept = order.form().apply(value);
        tell(order.boardOf().apply(value), id, board -> board.stands(id, kept));
    }

    /// Whoever changes it after this must wait for the commit, and is heard of later. So if nothing
    /// was heard of it since now, it still stands; otherwise nobody can say.
    @Override
    public Runnable untold(T value) {
        var id = order.idOf().apply(value);
        var before = heard.of(id);
        var kept = order.form().apply(value);
        return () ->
                tell(
                        order.boardOf().apply(value),
                        id,
                        board -> {
                            if (!board.stands(id, kept, () -> heard.of(id) == before))
                                board.changed(id);
                        });
    }

    /// The board it is on now, the one it was on before, and the one that has them all.
    private void tell(String name, String id, Consumer<Board> news) {
        var before = places.get(id);
        if (before != null && !before.equals(name)) tell(before, board -> board.changed(id));
        tell(name, news);
        if (!name.equals(Shelf.ALL)) tell(Shelf.ALL, news);
    }

    private void tell(String name, Consumer<Board> news) {
        var board = boards.get(name);
        if (board != null) news.accept(board);
    }

    /// Read under its lock, so that who comes second does not take it for up to date meanwhile.
    private final class Board {
        private final String name;
        private final Map<String, T> standing = new HashMap<>();
        private final News<T> news = new News<>();
        private boolean known;
        private long readAt;

        Board(String name) {
            this.name = name;
        }

        void changed(String id) {
            news.changed(id);
        }

        void stands(String id, T value) {
            var _ = news.stands(id, value, () -> true);
        }

        boolean stands(String id, T value, BooleanSupplier still) {
            return news.stands(id, value, still);
        }

        synchronized Collection<T> all() {
            refresh();
            return List.copyOf(standing.values());
        }

        synchronized Optional<T> find(String id) {
            refresh();
            return Optional.ofNullable(standing.get(id));
        }

        /// What changes while it is read is told again.
        private void refresh() {
            var told = news.take();
            var fresh = known && nanos.getAsLong() - readAt < life.toNanos();
            known = false; // unless this succeeds
            if (fresh && told.isPresent()) told.get().forEach(this::renew);
            else read();
            known = true;
        }

        private void read() {
            readAt = nanos.getAsLong();
            standing.keySet().forEach(id -> places.remove(id, name));
            standing.clear();
            var all = order.load().apply(name);
            for (var value : documents.list(all, "Id", Integer.MAX_VALUE, order.read(documents)))
                put(value);
        }

        private void renew(String id, Optional<T> told) {
            standing.remove(id);
            places.remove(id, name);
            told.or(() -> documents.find(id))
                    .map(order.form())
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

    /// What was heard of documents since they were looked at last: what stands now, or nothing for
    /// those to be read again.
    private static final class News<T> {
        private final Map<String, Optional<T>> heard = new HashMap<>();

        synchronized void changed(String id) {
            if (heard.size() <= MOST_CHANGED) heard.put(id, Optional.empty()); // else all are read
        }

        synchronized boolean stands(String id, T value, BooleanSupplier still) {
            if (!still.getAsBoolean()) return false;
            if (heard.size() <= MOST_CHANGED) heard.put(id, Optional.of(value));
            return true;
        }

        /// Empty when there is so much that all is read again.
        synchronized Optional<Map<String, Optional<T>>> take() {
            var taken = Map.copyOf(heard);
            heard.clear();
            return taken.size() <= MOST_CHANGED ? Optional.of(taken) : Optional.empty();
        }
    }

    /// How often something was heard of documents; those that share a place are taken for one.
    private static final class Heard {
        private final AtomicLongArray times = new AtomicLongArray(1024);

        long of(String id) {
            return times.get(place(id));
        }

        void next(String id) {
            times.incrementAndGet(place(id));
        }

        private int place(String id) {
            return Math.floorMod(id.hashCode(), times.length());
        }
    }
}
