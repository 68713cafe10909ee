// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pipecd.controlplane.store.engine.Condition;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The labels of one kind of document, in a table beside it: a row for each, in the order of lists,
/// so that a page costs the page and not all that lies between two of its documents. It only leads:
/// what a list answers is decided by the documents themselves, and a row whose time is not its
/// document's leads nowhere.
final class LabelIndex {
    static final Set<String> KINDS = Set.of("Application", "Deployment", "Event");

    /// So many documents are looked at one by one without anybody noticing.
    private static final int FEW = 1_000;

    private static final int ROWS_AT_ONCE = 50;

    private final Database database;
    private final String kind;
    private volatile boolean complete;

    LabelIndex(Database database, String kind) {
        this.database = database;
        this.kind = kind;
    }

    String kind() {
        return kind;
    }

    String table() {
        return kind + "Label";
    }

    /// Lists go by it from now on: every document has its rows.
    void complete() {
        complete = true;
    }

    boolean isComplete() {
        return complete;
    }

    /// Keeps the rows in step with the document, in the transaction that writes it.
    void write(Transaction transaction, String id, ObjectNode before, ObjectNode after)
            throws SQLException {
        if (!KINDS.contains(kind)) return;
        var was = Entry.of(before);
        var is = Entry.of(after);
        if (was.equals(is) || (was.labels().isEmpty() && is.labels().isEmpty())) return;
        // On a server that would be a trip of its own.
        if (!database.shared() && was.labels().equals(is.labels()) && move(transaction, id, is))
            return;
        rewrite(transaction, id, after);
    }

    /// Whether all rows were there to be moved; another server may have written the document.
    private boolean move(Transaction transaction, String id, Entry entry) throws SQLException {
        var moved =
                transaction
                        .prepare(
                                "UPDATE %s SET At = ? WHERE Document = ?".formatted(table()),
                                entry.at(),
                                database.engine().dialect().id(id))
                        .executeUpdate();
        return moved == entry.labels().size();
    }

    /// Whatever rows there were.
    void rewrite(Transaction transaction, String id, ObjectNode document) throws SQLException {
        transaction.later(
                "DELETE FROM %s WHERE Document = ?".formatted(table()),
                database.engine().dialect().id(id));
        insert(transaction, Map.of(id, document));
    }

    /// For documents that have no rows.
    void insert(Transaction transaction, Map<String, ObjectNode> documents) throws SQLException {
        var rows = new ArrayList<Object>();
        for (var document : documents.entrySet()) {
            var entry = Entry.of(document.getValue());
            for (var label : entry.labels()) {
                Collections.addAll(
                        rows,
                        label.array(),
                        entry.at(),
                        database.engine().dialect().id(document.getKey()));
                if (rows.size() == 3 * ROWS_AT_ONCE) flush(transaction, rows);
            }
        }
        if (!rows.isEmpty()) flush(transaction, rows);
    }

    private void flush(Transaction transaction, List<Object> rows) throws SQLException {
        var marks = String.join(", ", Collections.nCopies(rows.size() / 3, "(?, ?, ?)"));
        transaction.later(
                "INSERT INTO %s (Label, At, Document) VALUES %s".formatted(table(), marks),
                rows.toArray());
        rows.clear();
    }

    /// The list, newest first, led by labels; empty where nothing is to be gained by it.
    Optional<Condition> select(Connection connection, Where where, int limit) throws SQLException {
        var project = where.project();
        if (!complete || project.isEmpty()) return Optional.empty();
        var leads = new ArrayList<Lead>();
        if (!where.wanted().isEmpty()) leads.add(rarest(connection, project.get(), where.wanted()));
        if (!where.within().isEmpty()) {
            var all = new ArrayList<Lead>();
            for (var set : where.within()) all.add(rarest(connection, project.get(), set));
            leads.add(Lead.either(all));
        }
        return leads.stream()
                .min(Comparator.comparingLong(Lead::documents))
                .filter(lead -> lead.documents() < FEW || !where.isNarrow())
                .map(lead -> select(where, lead.labels(), limit));
    }

    private Lead rarest(Connection connection, String project, Map<String, String> labels)
            throws SQLException {
        var leads = new ArrayList<Lead>();
        for (var label : labels.entrySet()) {
            var digest = digest(project, label.getKey(), label.getValue());
            leads.add(new Lead(Set.of(digest), count(connection, digest)));
        }
        return leads.stream().min(Comparator.comparingLong(Lead::documents)).orElseThrow();
    }

    /// Not beyond what makes a difference.
    private long count(Connection connection, ByteBuffer label) throws SQLException {
        var sql =
                "SELECT COUNT(*) FROM (SELECT 1 FROM %s WHERE Label = ? LIMIT %d) some"
                        .formatted(table(), FEW);
        try (var statement = connection.prepareStatement(sql)) {
            statement.setObject(1, label.array());
            try (var rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }

    private Condition select(Where where, Collection<ByteBuffer> labels, int limit) {
        var dialect = database.engine().dialect();
        var place = where.place(dialect);
        var all = where.in(dialect);
        var join = dialect.joinInOrder() + " " + database.engine().source(kind);
        var led =
                "SELECT * FROM (SELECT At, Document FROM %s %s ON Id = Document AND UpdatedAt = At"
                                .formatted(table(), join)
                        + " WHERE Label = ? AND %s AND %s ORDER BY At DESC, Document LIMIT ?) Led"
                                .formatted(place.sql(), all.sql());
        var values = new ArrayList<Object>();
        for (var label : labels) {
            values.add(label.array());
            values.addAll(place.values());
            values.addAll(all.values());
            values.add(limit);
        }
        values.add(limit);
        return new Condition(
                "SELECT Data FROM (%s) Page %s ON Id = Document ORDER BY At DESC, Document LIMIT ?"
                        .formatted(
                                String.join(" UNION ", Collections.nCopies(labels.size(), led)),
                                join),
                values);
    }

    /// Short whatever people write into a label; two that meet in one cost a look at a document.
    private static ByteBuffer digest(String project, String name, String value) {
        try {
            var sha256 = MessageDigest.getInstance("SHA-256");
            for (var part : List.of(project, name, value)) {
                var bytes = part.getBytes(StandardCharsets.UTF_8);
                sha256.update(ByteBuffer.allocate(4).putInt(bytes.length).flip());
                sha256.update(bytes);
            }
            return ByteBuffer.wrap(Arrays.copyOf(sha256.digest(), 16));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /// What a document's rows say.
    private record Entry(Set<ByteBuffer> labels, long at) {
        static Entry of(ObjectNode document) {
            var project = document.path("project_id").asText();
            var labels = new HashSet<ByteBuffer>();
            for (var label : document.path("labels").properties())
                labels.add(digest(project, label.getKey(), label.getValue().asText("")));
            return new Entry(labels, document.path("updated_at").asLong());
        }
    }

    /// Labels one of which is on every document of the list, and on how many others at most.
    private record Lead(Set<ByteBuffer> labels, long documents) {
        static Lead either(List<Lead> leads) {
            return new Lead(
                    leads.stream()
                            .flatMap(l -> l.labels().stream())
                            .collect(Collectors.toUnmodifiableSet()),
                    leads.stream().mapToLong(Lead::documents).sum());
        }
    }
}
