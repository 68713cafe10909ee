// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// What a user must be allowed for the schema to be made. It is asked by statements about a table
/// that is not there: the server looks at rights first, and then has nothing it could change.
final class Rights {
    private static final int DENIED = 1142;

    private static final List<Probe> PROBES =
            List.of(
                    probe("CREATE", "^CREATE TABLE", "CREATE TABLE PipecdNew LIKE PipecdNothing"),
                    probe("ALTER", "^ALTER TABLE", "ALTER TABLE PipecdNothing COMMENT = ''"),
                    probe("INDEX", "^CREATE INDEX", "CREATE INDEX Id ON PipecdNothing (Id)"),
                    probe(
                            "REFERENCES",
                            "REFERENCES",
                            "ALTER TABLE PipecdNothing"
                                    + " ADD FOREIGN KEY (Id) REFERENCES PipecdNothing (Id)"),
                    probe("DROP", "^CREATE OR REPLACE", "DROP TABLE PipecdNothing"),
                    probe(
                            "CREATE VIEW",
                            "^CREATE OR REPLACE",
                            "CREATE VIEW PipecdNew AS SELECT 1 FROM PipecdNothing"));

    private Rights() {}

    /// Those that the user of this connection lacks for the statements.
    static List<String> missing(Connection connection, List<String> statements)
            throws SQLException {
        var missing = new ArrayList<String>();
        for (var probe : PROBES)
            if (statements.stream().anyMatch(probe.need().asPredicate())
                    && denied(connection, probe.sql())) missing.add(probe.right());
        return missing;
    }

    private static boolean denied(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
            return false;
        } catch (SQLException e) {
            if (DatabaseServer.lost(e)) throw e;
            return e.getErrorCode() == DENIED;
        }
    }

    static String advice(Dsn dsn) {
        return "Have the owner of the database run GRANT ALL ON `%s`.* TO the user, or give datastore.config one who has it"
                .formatted(dsn.database());
    }

    private static Probe probe(String right, String need, String sql) {
        return new Probe(right, Pattern.compile(need), sql);
    }

    /// @param need what a statement for which it takes the right looks like
    private record Probe(String right, Pattern need, String sql) {}
}
