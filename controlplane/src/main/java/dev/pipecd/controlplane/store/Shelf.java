// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import com.google.protobuf.Message;
import dev.pipecd.controlplane.change.Change;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/// The documents that are asked for all the time, in memory, exactly as committed: filled and kept
/// in step by the writer's thread alone, so that no answer is ever older than the last acknowledged
/// write. Nothing lives only here. Where other processes write too, it is a `FollowedShelf`.
final class Shelf<T extends Message> implements Documents.Listener<T> {
    private static final int MOST_BOARDS = 2_000;

    /// The board of kinds that have only one.
    static final String ALL = "";

    private final Documents<T> documents;
    private final Order<T> order;
    private final Optional<FollowedShelf<T>> followed;
    private final Map<String, Map<String, T>> boards = new ConcurrentHashMap<>();

    Shelf(Documents<T> documents, Order<T> order) {
        this(documents, order, FollowedShelf.LIFE);
    }

    /// @param life when what the trail does not tell is seen, where other processes write too
    Shelf(Documents<T> documents, Order<T> order, Duration life) {
        this.documents = documents;
        this.order = order;
        this.followed =
                documents.database().shared()
                        ? Optional.of(new FollowedShelf<>(documents, order, life, System::nanoTime))
                        : Optional.empty();
        if (followed.isEmpty()) documents.listen(this);
    }

    /// All documents of the kind on one board.
    static <T extends Message> Shelf<T> ofAll(Documents<T> documents, Function<T, String> idOf) {
        return ofAll(documents, idOf, UnaryOperator.identity());
    }

    /// @param form what of each is in memory
    static <T extends Message> Shelf<T> ofAll(
            Documents<T> documents, Function<T, String> idOf, UnaryOperator<T> form) {
        return new Shelf<>(documents, new Order<>(_ -> ALL, idOf, _ -> true, _ -> Where.ALL, form));
    }

    Collection<T> all(String board) {
        return followed.map(f -> f.all(board)).orElseGet(() -> List.copyOf(board(board).values()));
    }

    Optional<T> find(String board, String id) {
        return followed.isPresent()
                ? followed.get().find(board, id)
                : Optional.ofNullable(board(board).get(id));
    }

    private Map<String, T> board(String name) {
        var board = boards.get(name);
        return board != null ? board : fill(name);
    }

    /// Through the writer: a read beside it could put back what a commit has just replaced.
    private Map<String, T> fill(String name) {
        return documents
                .database()
                .write(transaction -> {
                    var board = new ConcurrentHashMap<String, T>();
                    for (var value :
                            documents.list(
                                    transaction, order.load().apply(name), order.read(documents)))
                        board.put(order.idOf().apply(value), value);
                    transaction.afterCommit(() -> {
                        if (boards.size() >= MOST_BOARDS) boards.clear();
                        boards.put(name, board);
                    });
                    return board;
                });
    }

    @Override
    public void removed(T value) {
        var board = boards.get(order.boardOf().apply(value));
        if (board != null) board.remove(order.idOf().apply(value));
    }

    @Override
    public void committed(Optional<T> before, T after) {
        var board = order.boardOf().apply(after);
        before.map(order.boardOf())
                .filter(old -> !old.equals(board) || !order.kept().test(after))
                .map(boards::get)
                .ifPresent(old -> old.remove(order.idOf().apply(after)));
        var standing = boards.get(board);
        if (standing != null && order.kept().test(after))
            standing.put(order.idOf().apply(after), order.form().apply(after));
    }

    /// How documents stand on boards.
    ///
    /// @param boardOf which board a document stands on (its agent)
    /// @param kept whether it stands on the shelf at all
    /// @param load finds the documents of a board in the table
    /// @param form what of each is in memory
    record Order<T extends Message>(
            Function<T, String> boardOf,
            Function<T, String> idOf,
            Predicate<T> kept,
            Function<String, Where> load,
            UnaryOperator<T> form) {
        /// Whole.
        Order(
                Function<T, String> boardOf,
                Function<T, String> idOf,
                Predicate<T> kept,
                Function<String, Where> load) {
            this(boardOf, idOf, kept, load, UnaryOperator.identity());
        }

        /// Each as soon as it is read: all of them whole would be what there is no room for.
        Function<String, T> read(Documents<T> documents) {
            return text -> form.apply(documents.value(text));
        }
    }

    /// Hears, in the order of the trail, what became of documents that other processes write too.
    interface Follower<T> {
        /// By whomever.
        void changed(Change change);

        /// The last change was of this process, and this stands since.
        void stands(T value);

        /// What this process writes and is not on the trail. Asked while nobody else can write it;
        /// the answer is run after the commit, behind all that shares it and is on the trail.
        Runnable untold(T value);
    }
}
