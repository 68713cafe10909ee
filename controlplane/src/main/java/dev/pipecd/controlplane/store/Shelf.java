// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import com.google.protobuf.Message;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;

/// The documents that are asked for all the time, in memory, exactly as committed: filled and kept
/// in step by the writer's thread alone, so that no answer is ever older than the last acknowledged
/// write. Nothing lives only here; and where other processes write too, nothing is kept at all and
/// the table is asked each time.
final class Shelf<T extends Message> implements Documents.Listener<T> {
    private static final int MOST_BOARDS = 2_000;

    private final Documents<T> documents;
    private final Function<T, String> boardOf;
    private final Function<T, String> idOf;
    private final Predicate<T> kept;
    private final Function<String, Where> load;
    private final Map<String, Map<String, T>> boards = new ConcurrentHashMap<>();

    /// @param boardOf which board a document stands on (its agent)
    /// @param kept whether it stands on the shelf at all
    /// @param load finds the documents of a board in the table
    Shelf(
            Documents<T> documents,
            Function<T, String> boardOf,
            Function<T, String> idOf,
            Predicate<T> kept,
            Function<String, Where> load) {
        this.documents = documents;
        this.boardOf = boardOf;
        this.idOf = idOf;
        this.kept = kept;
        this.load = load;
        if (!documents.database().shared()) documents.listen(this);
    }

    Collection<T> all(String board) {
        if (documents.database().shared())
            return documents.list(load.apply(board), "Id", Integer.MAX_VALUE);
        return List.copyOf(board(board).values());
    }

    Optional<T> find(String board, String id) {
        if (documents.database().shared())
            return documents
                    .find(id)
                    .filter(found -> boardOf.apply(found).equals(board) && kept.test(found));
        return Optional.ofNullable(board(board).get(id));
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
                    for (var value : documents.list(transaction, load.apply(name)))
                        board.put(idOf.apply(value), value);
                    transaction.afterCommit(() -> {
                        if (boards.size() >= MOST_BOARDS) boards.clear();
                        boards.put(name, board);
                    });
                    return board;
                });
    }

    @Override
    public void removed(T value) {
        var board = boards.get(boardOf.apply(value));
        if (board != null) board.remove(idOf.apply(value));
    }

    @Override
    public void committed(Optional<T> before, T after) {
        var board = boardOf.apply(after);
        before.map(boardOf)
                .filter(old -> !old.equals(board) || !kept.test(after))
                .map(boards::get)
                .ifPresent(old -> old.remove(idOf.apply(after)));
        var standing = boards.get(board);
        if (standing != null && kept.test(after)) standing.put(idOf.apply(after), after);
    }
}
