// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// One attempt to commit several units of work. To a server each trip costs more than what is done
/// there: so rows are locked and read together before the units run, and what these write waits
/// until somebody looks, or goes with the commit.
public final class Batch {
    /// What servers take in one packet is 16 MB at least.
    private static final long MOST_WAITING = 1024 * 1024;

    private final Connection connection;
    private final Map<String, PreparedStatement> prepared;
    private final Dialect dialect;
    private final boolean together;
    private final Map<Key, Optional<Stored>> rows = new HashMap<>();
    private final List<Sent> waiting = new ArrayList<>();
    private long waitingBytes;
    private Optional<SQLException> refusal = Optional.empty();

    /// @param together whether what is written waits; otherwise each statement is sent by itself,
    ///   and whose fails is known at once
    public Batch(
            Connection connection,
            Map<String, PreparedStatement> prepared,
            Dialect dialect,
            boolean together) {
        this.connection = connection;
        this.prepared = prepared;
        this.dialect = dialect;
        this.together = together;
    }

    /// Why what waited was refused; whose it was, nobody can say.
    public Optional<SQLException> refusal() {
        return refusal;
    }

    /// A statement kept ready between batches, which sees all that was written before: the caller
    /// closes result sets, never the statement.
    public PreparedStatement prepare(String sql, Object... values) throws SQLException {
        send();
        return ready(sql, values);
    }

    private PreparedStatement ready(String sql, Object... values) throws SQLException {
        var statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        for (var i = 0; i < values.length; i++) statement.setObject(i + 1, values[i]);
        return statement;
    }

    /// A write whose outcome nobody needs before the commit.
    public Sent later(String sql, Object... values) throws SQLException {
        var sent = Sent.write(sql, values);
        if (!together) {
            sent.count = ready(sql, values).executeUpdate();
            return sent;
        }
        waiting.add(sent);
        waitingBytes += sent.bytes();
        if (waitingBytes > MOST_WAITING) send();
        return sent;
    }

    /// Locks and reads them in one trip, always in the same order, so that two who want the same do
    /// not wait for each other.
    public void lock(Collection<Key> keys) throws SQLException {
        var selects = new ArrayList<Sent>();
        for (var key : keys.stream().distinct().sorted().toList())
            if (!rows.containsKey(key)) selects.add(lock(key));
        if (!selects.isEmpty()) run(selects);
    }

    private Sent lock(Key key) {
        return Sent.query(
                "SELECT Data, %s FROM %s WHERE Id = ? FOR UPDATE"
                        .formatted(dialect.versioned() ? "Version" : "0", key.table()),
                found ->
                        rows.put(
                                key,
                                found.next()
                                        ? Optional.of(
                                                new Stored(found.getString(1), found.getLong(2)))
                                        : Optional.empty()),
                dialect.id(key.id()));
    }

    /// As it stands in this batch; locked until it ends.
    public Optional<Stored> locked(Key key) throws SQLException {
        lock(List.of(key));
        return rows.getOrDefault(key, Optional.empty());
    }

    /// What somebody in this batch has written, for those behind.
    public void stands(Key key, Optional<Stored> stored) {
        rows.put(key, stored);
    }

    /// All that waits, then these, then the commit, in one trip.
    public void commit(List<Sent> last) throws SQLException {
        var all = new ArrayList<>(waiting);
        all.addAll(last);
        all.add(Sent.write("COMMIT"));
        forget();
        run(all);
    }

    private void send() throws SQLException {
        if (waiting.isEmpty()) return;
        var all = List.copyOf(waiting);
        forget();
        try {
            run(all);
        } catch (SQLException e) {
            refusal = Optional.of(e);
            throw e;
        }
    }

    private void forget() {
        waiting.clear();
        waitingBytes = 0;
    }

    /// Not kept ready: hardly two are alike.
    private void run(List<Sent> statements) throws SQLException {
        var sql = statements.stream().map(s -> s.sql).collect(Collectors.joining("; "));
        try (var statement = connection.prepareStatement(sql)) {
            var place = 1;
            for (var sent : statements)
                for (var value : sent.values) statement.setObject(place++, value);
            statement.execute();
            var first = true;
            for (var sent : statements) {
                if (!first) statement.getMoreResults();
                first = false;
                sent.answered(statement);
            }
        }
    }

    /// A document's row.
    public record Key(String table, String id) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            var byTable = table.compareTo(other.table);
            return byTable != 0 ? byTable : id.compareTo(other.id);
        }
    }

    /// @param version 0 where rows have none
    public record Stored(String data, long version) {}

    /// A statement that is sent with others, and what it answered.
    public static final class Sent {
        private final String sql;
        private final Object[] values;
        private final Optional<Reader> reader;
        private int count;

        private Sent(String sql, Object[] values, Optional<Reader> reader) {
            this.sql = sql;
            this.values = values;
            this.reader = reader;
        }

        public static Sent write(String sql, Object... values) {
            return new Sent(sql, values, Optional.empty());
        }

        public static Sent query(String sql, Reader reader, Object... values) {
            return new Sent(sql, values, Optional.of(reader));
        }

        /// How many rows it changed, once it was sent.
        public int count() {
            return count;
        }

        private long bytes() {
            var bytes = (long) sql.length();
            for (var value : values)
                bytes +=
                        switch (value) {
                            case byte[] content -> 2L * content.length;
                            case String text -> 3L * text.length();
                            default -> 24;
                        };
            return bytes;
        }

        private void answered(PreparedStatement statement) throws SQLException {
            if (reader.isEmpty()) {
                count = statement.getUpdateCount();
                return;
            }
            try (var found = statement.getResultSet()) {
                reader.get().read(found);
            }
        }
    }

    /// Takes what a query found.
    @FunctionalInterface
    public interface Reader {
        void read(ResultSet found) throws SQLException;
    }
}
