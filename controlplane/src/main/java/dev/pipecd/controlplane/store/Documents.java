// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.change.Origin;
import dev.pipecd.controlplane.change.Trace;
import dev.pipecd.controlplane.document.GoJson;
import dev.pipecd.controlplane.store.engine.Batch;
import dev.pipecd.controlplane.store.engine.Condition;
import dev.pipecd.controlplane.store.engine.Dialect;
import dev.pipecd.controlplane.store.engine.Engine;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Predicate;

/// The documents of one kind: whole things go in and come out; a lost update is impossible because
/// an edit is decided upon what stands in the transaction that writes it.
final class Documents<T extends Message> {
    private static final String SELF = "control plane";
    private static final int ROWS_AT_ONCE = 50;

    private final Database database;
    private final Trail trail;
    private final DocumentKind<T> kind;
    private final InstantSource clock;
    private final LabelIndex labels;
    private final List<Listener<T>> listeners = new CopyOnWriteArrayList<>();
    private final List<Shelf.Follower<T>> followers = new CopyOnWriteArrayList<>();
    private final Recent<T> recent = new Recent<>();

    Documents(Database database, Trail trail, DocumentKind<T> kind, InstantSource clock) {
        this.database = database;
        this.trail = trail;
        this.kind = kind;
        this.clock = clock;
        this.labels = new LabelIndex(database, kind.table());
    }

    /// Told of every committed write, in order, on the writer's thread.
    void listen(Listener<T> listener) {
        listeners.add(listener);
    }

    Optional<T> find(String id) {
        return list(Where.ALL.and("Id = ?", id), "Id", 1).stream()
                .filter(found -> kind.id(found).equals(id))
                .findFirst();
    }

    List<T> list(Where where, String order, int limit) {
        return list(where, order, limit, this::value);
    }

    /// Each as the bytes it travels in.
    List<ByteString> wire(Where where, String order, int limit) {
        return list(where, order, limit, GoJson.wire(kind.prototype().getDescriptorForType()));
    }

    <R> List<R> list(Where where, String order, int limit, Function<String, R> form) {
        return database.read(connection -> {
            var select = select(connection, where, order, limit);
            try (var statement = connection.prepareStatement(select.sql())) {
                bind(statement, select);
                statement.setFetchSize(ROWS_AT_ONCE); // or a server's driver keeps all of them
                try (var rows = statement.executeQuery()) {
                    return values(rows, form);
                }
            }
        });
    }

    <R> List<R> list(Transaction transaction, Where where, Function<String, R> form)
            throws SQLException {
        var select = select(where, "Id", Integer.MAX_VALUE);
        var statement = transaction.prepare(select.sql(), select.values().toArray());
        try (var rows = statement.executeQuery()) {
            return values(rows, form);
        }
    }

    /// In the engine's words, by the way that reads least.
    Condition select(Connection connection, Where where, String order, int limit)
            throws SQLException {
        var led =
                order.equals(Where.NEWEST_FIRST)
                        ? labels.select(connection, where, limit)
                        : Optional.<Condition>empty();
        return led.orElseGet(() -> select(where, order, limit));
    }

    private Condition select(Where where, String order, int limit) {
        return select(database.engine(), kind.table(), where, order, limit);
    }

    static Condition select(Engine engine, String table, Where where, String order, int limit) {
        var condition = where.in(engine.dialect());
        var values = new ArrayList<>(condition.values());
        values.add(limit);
        return new Condition(
                "SELECT Data FROM %s WHERE %s ORDER BY %s LIMIT ?"
                        .formatted(engine.source(table), condition.sql(), order),
                values);
    }

    static void bind(PreparedStatement statement, Condition select) throws SQLException {
        var place = 1;
        for (var value : select.values()) statement.setObject(place++, value);
    }

    private Dialect dialect() {
        return database.engine().dialect();
    }

    T value(String document) {
        return GoJson.read(kind.prototype(), document);
    }

    private static <R> List<R> values(ResultSet rows, Function<String, R> form)
            throws SQLException {
        var found = new ArrayList<R>();
        while (rows.next()) found.add(form.apply(rows.getString(1)));
        return found;
    }

    /// Adds it unless its id is taken or `twin` names one that stands in its way, which is
    /// answered.
    Optional<T> add(T value, String actor, Where twin) {
        var origin = Origin.current(); // of the caller's thread, not of the writer's
        return database.write(
                key(kind.id(value)),
                transaction -> {
                    var taken = taken(transaction, kind.id(value), twin);
                    if (taken.isPresent()) return taken;
                    var added = kind.stamped(value, clock.instant().getEpochSecond(), true);
                    var document = insert(transaction, added);
                    recorded(transaction, Optional.empty(), added);
                    trail.append(
                            transaction,
                            kind.change(added, actor, "added", clock.instant()),
                            Trace.of(origin, JsonNodeFactory.instance.objectNode(), document),
                            () -> followers.forEach(f -> f.stands(added)));
                    return Optional.<T>empty();
                });
    }

    /// Beside other processes a twin could come between looking and writing, unless everybody
    /// passes one at a time; two of one id the table itself refuses.
    Optional<T> taken(Transaction transaction, String id, Where twin) throws SQLException {
        if (twin.equals(Where.NONE)) return Optional.empty();
        if (database.shared() && twin.byId()) return row(transaction, id).map(Row::value);
        if (database.shared())
            transaction.later(
                    "INSERT INTO Counter (Name, Value) VALUES (?, 0)"
                            + " ON DUPLICATE KEY UPDATE Value = Value + 1",
                    kind.table() + " added");
        return list(transaction, twin, this::value).stream().findFirst();
    }

    private ObjectNode insert(Transaction transaction, T added) throws SQLException {
        var document = kind.document(GoJson.write(added), added, bounds());
        var sql =
                dialect().versioned()
                        ? "INSERT INTO %s (Id, Data, Version) VALUES (?, ?, 1)"
                        : "INSERT INTO %s (Id, Data) VALUES (?, ?)";
        var text = document.toString();
        transaction.later(sql.formatted(kind.table()), dialect().id(kind.id(added)), text);
        stands(transaction, kind.id(added), text, 1);
        labels.write(transaction, kind.id(added), JsonNodeFactory.instance.objectNode(), document);
        return document;
    }

    /// Edits it as it stands; empty when there is none of that id. `edit` may refuse by throwing.
    Optional<T> update(String id, String actor, Function<T, Edit<T>> edit) {
        return decide(id, actor, before -> _ -> edit.apply(before));
    }

    /// The same for an edit that looks at others too, in the transaction that writes it.
    Optional<T> decide(String id, String actor, Function<T, Database.Unit<Edit<T>>> edit) {
        var origin = Origin.current();
        return database.write(
                key(id),
                transaction -> {
                    var row = row(transaction, id);
                    if (row.isEmpty()) return Optional.<T>empty();
                    var before = row.get().value();
                    return Optional.of(
                            switch (edit.apply(before).run(transaction)) {
                                case Edit.Unchanged<T> _ -> before;
                                case Edit.Refreshed<T>(var value) -> {
                                    var _ = put(transaction, id, row.get(), value);
                                    for (var follower : followers)
                                        transaction.afterTrail(follower.untold(value));
                                    recorded(transaction, Optional.of(before), value);
                                    yield value;
                                }
                                case Edit.Changed<T>(var value, var what) -> {
                                    var after =
                                            kind.stamped(
                                                    value, clock.instant().getEpochSecond(), false);
                                    var document = put(transaction, id, row.get(), after);
                                    recorded(transaction, Optional.of(before), after);
                                    trail.append(
                                            transaction,
                                            kind.change(after, actor, what, clock.instant()),
                                            Trace.of(origin, row.get().data(), document),
                                            () -> followers.forEach(f -> f.stands(after)));
                                    yield after;
                                }
                            });
                });
    }

    /// Removes it if it is there and may go as it stands; the trail keeps that, but not what it
    /// was.
    boolean delete(String id, String what, Predicate<T> may) {
        var origin = Origin.current();
        return database.write(
                key(id),
                transaction -> {
                    var row = row(transaction, id);
                    if (row.isEmpty()) return false;
                    var value = row.get().value();
                    if (!may.test(value)) return false;
                    // Now, for what shares the commit; and behind what was written before in it.
                    recent.forget(id);
                    transaction.afterCommit(() -> recent.forget(id));
                    transaction.later(
                            "DELETE FROM %s WHERE Id = ?".formatted(kind.table()),
                            dialect().id(id));
                    transaction.batch().stands(key(id), Optional.empty());
                    transaction.afterCommit(() -> listeners.forEach(l -> l.removed(value)));
                    trail.append(
                            transaction,
                            kind.change(value, SELF, what, clock.instant()),
                            Trace.by(origin),
                            () -> {});
                    return true;
                });
    }

    private Batch.Key key(String id) {
        return new Batch.Key(kind.table(), id);
    }

    private Optional<Row<T>> row(Transaction transaction, String id) throws SQLException {
        return database.shared()
                ? transaction.batch().locked(key(id)).map(s -> row(s.data(), s.version()))
                : ownRow(transaction, id);
    }

    /// Where nobody else writes.
    private Optional<Row<T>> ownRow(Transaction transaction, String id) throws SQLException {
        var known = recent.find(id);
        var statement =
                transaction.prepare(
                        "SELECT CASE Version WHEN ? THEN NULL ELSE Data END, Version FROM %s WHERE Id = ?"
                                .formatted(kind.table()),
                        known.map(Row::version).orElse(-1L),
                        dialect().id(id));
        try (var rows = statement.executeQuery()) {
            if (!rows.next()) return Optional.empty();
            var document = rows.getString(1);
            return document == null ? known : Optional.of(row(document, rows.getLong(2)));
        }
    }

    /// For those who share the commit.
    private void stands(Transaction transaction, String id, String data, long version) {
        transaction.batch().stands(key(id), Optional.of(new Batch.Stored(data, version)));
    }

    private Row<T> row(String document, long version) {
        var data = GoJson.parse(document);
        return new Row<>(data, GoJson.read(kind.prototype(), data), version);
    }

    private ObjectNode put(Transaction transaction, String id, Row<T> read, T value)
            throws SQLException {
        if (!kind.id(value).equals(id))
            throw new IllegalArgumentException("id: changed (expected: " + id + ")");
        var document = kind.document(GoJson.merge(read.data(), value), value, bounds());
        var text = document.toString();
        write(transaction, id, read, text);
        labels.write(transaction, id, read.data(), document);
        if (dialect().versioned() && !database.shared() && text.length() <= Recent.LONGEST)
            transaction.afterCommit(
                    () -> recent.keep(id, new Row<>(document, value, read.version() + 1)));
        return document;
    }

    private DocumentKind.Bounds bounds() {
        return new DocumentKind.Bounds(clock.instant().getEpochSecond(), dialect().latest());
    }

    /// On a server the row is locked since it was read, so it is still what was read.
    private void write(Transaction transaction, String id, Row<T> read, String data)
            throws SQLException {
        if (!dialect().versioned()) {
            transaction.later(
                    "UPDATE %s SET Data = ? WHERE Id = ?".formatted(kind.table()),
                    data,
                    dialect().id(id));
            stands(transaction, id, data, 0);
            return;
        }
        var written =
                transaction.later(
                        "UPDATE %s SET Data = ?, Version = ? WHERE Id = ? AND Version = ?"
                                .formatted(kind.table()),
                        data,
                        read.version() + 1,
                        dialect().id(id),
                        read.version());
        stands(transaction, id, data, read.version() + 1);
        if (!database.shared() && written.count() != 1)
            throw new IllegalStateException(
                    "version: %d of %s %s is gone (expected: nobody else writes this row)"
                            .formatted(read.version(), kind.table(), id));
    }

    private void recorded(Transaction transaction, Optional<T> before, T after) {
        transaction.afterCommit(() -> listeners.forEach(l -> l.committed(before, after)));
    }

    /// Told of every change to one of the kind, by any process, before `Trail.confirm` returns.
    void follow(Shelf.Follower<T> follower) {
        followers.add(follower);
        trail.follow(change -> {
            if (change.kind() == kind.changed()) follower.changed(change);
        });
    }

    Trail trail() {
        return trail;
    }

    Database database() {
        return database;
    }

    LabelIndex labels() {
        return labels;
    }

    /// Hears what was committed.
    interface Listener<T> {
        void committed(Optional<T> before, T after);

        void removed(T value);
    }

    private record Row<T>(ObjectNode data, T value, long version) {}

    /// Rows as they were last committed here: an agent tells much of one deployment in a short
    /// time, and each report would read and take apart all of it. One is only good for the version
    /// that stands in the table, so that nobody can be shown what was overwritten or undone.
    private static final class Recent<T> {
        private static final int MOST = 256;

        /// In characters: large ones are few, and would take the memory of many.
        private static final int LONGEST = 8_192;

        private final SequencedMap<String, Row<T>> rows = new LinkedHashMap<>(16, 0.75f, true);

        synchronized Optional<Row<T>> find(String id) {
            return Optional.ofNullable(rows.get(id));
        }

        synchronized void keep(String id, Row<T> row) {
            rows.put(id, row);
            if (rows.size() > MOST) rows.pollFirstEntry();
        }

        synchronized void forget(String id) {
            rows.remove(id);
        }
    }
}
