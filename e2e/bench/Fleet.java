// SPDX-License-Identifier: Apache-2.0
package bench;

import at.favre.lib.crypto.bcrypt.BCrypt;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.IntFunction;

/// A large installation, written straight into the tables of a server that is stopped.
final class Fleet {
    static final int APPLICATIONS = 50_000;
    static final int PIPEDS = 500;
    static final int EVENTS = 200_000;
    static final long BEGAN = 1_700_000_000;
    static final long YEARS = 2L * 365 * 86_400;
    private static final int ROWS_AT_ONCE = 500;
    private static final int ROWS_IN_A_COMMIT = 20_000;

    private final Storage storage;

    Fleet(Storage storage) {
        this.storage = storage;
    }

    static String id(String kind, int number) {
        return "%s0000000-0000-4000-8000-%012d".formatted(kind, number);
    }

    static String application(int number) {
        return id("a", number);
    }

    static String piped(int number) {
        return id("b", number);
    }

    static String pipedKey(int number) {
        return "key-of-" + number;
    }

    void write(int applications, int deployments, int pipeds, int events) throws Exception {
        try (var connection = storage.connect()) {
            connection.setAutoCommit(false);
            if (storage.sqlite()) connection.createStatement().execute("PRAGMA cache_size = -500000");
            insert(connection, "Piped", "b", pipeds, Fleet::pipedDocument);
            insert(connection, "Application", "a", applications, number -> applicationDocument(number, pipeds));
            insert(connection, "Deployment", "d", deployments, number -> deploymentDocument(number, applications, deployments, pipeds));
            insert(connection, "Event", "e", events, Fleet::eventDocument);
            deliveries(connection, applications, deployments);
            // As in a database from before there were rows of labels, and sums.
            connection.createStatement().execute("UPDATE DeliverySumMark SET Reached = '', Complete = 0");
            connection.createStatement().execute("UPDATE LabelMark SET Reached = '', BeganAt = 0, CheckedAt = 0");
            connection.commit();
            if (!storage.sqlite()) connection.createStatement().execute("ANALYZE TABLE Piped, Application, Deployment, Event, Delivery");
        }
    }

    /// Applications of one repository and one agent, all deployed at `commit`.
    void write(Monorepo repository, String commit) throws Exception {
        try (var connection = storage.connect()) {
            connection.setAutoCommit(false);
            insert(connection, "Piped", "b", 1, Fleet::pipedDocument);
            insert(connection, "Application", "a", repository.applications(), number -> inMonorepo(number, repository, commit));
        }
    }

    private static String inMonorepo(int number, Monorepo repository, String commit) {
        return """
        {"id": "%s", "name": "app-%d", "piped_id": "%s", "project_id": "quickstart", "kind": 5,
         "git_path": {"repo": {"id": "%s", "remote": "%s", "branch": "main"}, "path": "%s", "config_filename": "app.pipecd.yaml"},
         "labels": %s, "sync_state": {"status": 1, "timestamp": %d},
         "most_recently_triggered_deployment": {"deployment_id": "%s", "trigger": {"commit": {"hash": "%s",
          "message": "Generate", "author": "ann", "branch": "main", "created_at": %d}, "timestamp": %d}, "started_at": %d},
         "created_at": %d, "updated_at": %d, "_extra": "app-%d"}"""
                .formatted(
                        application(number), number, piped(0), Monorepo.ID, repository.address(), Monorepo.path(number), labels(number), BEGAN,
                        id("d", number), commit, BEGAN, BEGAN, BEGAN, BEGAN, BEGAN + number, number);
    }

    private void insert(Connection connection, String table, String kind, int number, IntFunction<String> document) throws SQLException {
        var mysql = storage.name().startsWith("MySQL");
        var row = mysql ? "(UUID_TO_BIN(?, TRUE), ?)" : "(?, ?, 1)";
        var columns = mysql ? "(Id, Data)" : "(Id, Data, Version)";
        for (var first = 0; first < number; first += ROWS_AT_ONCE) {
            var rows = Math.min(ROWS_AT_ONCE, number - first);
            var sql = "INSERT INTO %s %s VALUES %s".formatted(table, columns, (row + ", ").repeat(rows - 1) + row);
            try (var statement = connection.prepareStatement(sql)) {
                for (var n = 0; n < rows; n++) {
                    statement.setString(2 * n + 1, id(kind, first + n));
                    statement.setString(2 * n + 2, document.apply(first + n));
                }
                statement.executeUpdate();
            }
            if (first % ROWS_IN_A_COMMIT == 0) connection.commit();
        }
        connection.commit();
    }

    /// Spread over two years, which is as much as can be asked for.
    private static void deliveries(Connection connection, int applications, int number) throws SQLException {
        var row = "(?, ?, ?, ?, ?, ?, 600, -1, 1)";
        var columns = "Id, ProjectId, ApplicationId, Labels, CompletedAt, Status, LeadTime, RestoreTime, Summed";
        for (var first = 0; first < number; first += ROWS_AT_ONCE) {
            var rows = Math.min(ROWS_AT_ONCE, number - first);
            var sql = "INSERT INTO Delivery (%s) VALUES %s".formatted(columns, (row + ", ").repeat(rows - 1) + row);
            try (var statement = connection.prepareStatement(sql)) {
                for (var n = 0; n < rows; n++) {
                    var application = (first + n) % applications;
                    statement.setString(6 * n + 1, id("d", first + n));
                    statement.setString(6 * n + 2, project(application));
                    statement.setString(6 * n + 3, application(application));
                    statement.setString(6 * n + 4, labels(application).replace(" ", ""));
                    statement.setLong(6 * n + 5, BEGAN + YEARS * (first + n) / number);
                    statement.setInt(6 * n + 6, (first + n) % 20 == 0 ? 5 : 4);
                }
                statement.executeUpdate();
            }
            if (first % ROWS_IN_A_COMMIT == 0) connection.commit();
        }
        connection.commit();
    }

    /// Nine of ten are of one project.
    private static String project(int number) {
        return number % 10 == 9 ? "project-" + number / 10 % 10 : "quickstart";
    }

    /// The other projects have one of their own, which the large one never uses.
    private static int kind(int application) {
        if (application % 10 == 9) return 3;
        return application % 1000 == 3 ? 5 : application % 7 == 0 ? 1 : 0;
    }

    private static String pipedDocument(int number) {
        var hash = BCrypt.with(BCrypt.Version.VERSION_2A).hashToString(4, pipedKey(number).toCharArray());
        return """
        {"id": "%s", "name": "piped-%d", "project_id": "quickstart", "version": "v0.1.0", "keys": [{"hash": "%s", "creator": "bench", "created_at": %d}],
         "repositories": [{"id": "r", "remote": "https://example.com/r.git", "branch": "main"}], "created_at": %d, "updated_at": %d, "_extra": "piped-%d"}"""
                .formatted(piped(number), number, hash, BEGAN, BEGAN, BEGAN + number, number);
    }

    private static String labels(int application) {
        return """
        {"env": "%s", "team": "t%d", "service": "s%d"}""".formatted(application % 2 == 0 ? "prod" : "dev", application % 97, application / 10);
    }

    private static String applicationDocument(int number, int pipeds) {
        return """
        {"id": "%s", "name": "app-%d", "piped_id": "%s", "project_id": "%s", "kind": %d,
         "git_path": {"repo": {"id": "r", "remote": "https://example.com/r.git", "branch": "main"}, "path": "apps/%d", "config_filename": "app.pipecd.yaml",
          "url": "https://example.com/r/tree/main/apps/%d"},
         "platform_provider": "default", "description": "An application among many, with a description of usual length.", "labels": %s,
         "sync_state": {"status": %d, "short_reason": "", "head_deployment_id": "%s", "timestamp": %d},
         "most_recently_successful_deployment": {"deployment_id": "%s", "trigger": {"commit": {"hash": "0123456789abcdef0123456789abcdef01234567",
          "message": "Change something", "author": "ann", "branch": "main", "created_at": %d}, "timestamp": %d}, "summary": "Sync with the specified pipeline",
          "version": "v1.0.%d", "started_at": %d, "completed_at": %d},
         %s"created_at": %d, "updated_at": %d, "_extra": "app-%d"}"""
                .formatted(
                        application(number), number, piped(number % pipeds), project(number), kind(number),
                        number, number, labels(number), number % 500 == 1 ? 3 : 1, id("d", number), BEGAN + number,
                        id("d", number), BEGAN, BEGAN, number % 100, BEGAN, BEGAN,
                        number % 1000 == 7 ? "\"disabled\": true, " : "", BEGAN, BEGAN + number, number);
    }

    private static String deploymentDocument(int number, int applications, int all, int pipeds) {
        var application = number % applications;
        var status = number > all - 200 ? 2 : number % 1000 == 5 ? 6 : number % 20 == 0 ? 5 : 4;
        var at = BEGAN + number;
        var stage =
                """
                {"id": "stage-%1$d", "name": "%2$s", "index": %1$d, "visible": true, "status": 2, "created_at": %3$d, "updated_at": %3$d, "completed_at": %3$d}""";
        return """
        {"id": "%s", "application_id": "%s", "application_name": "app-%d", "piped_id": "%s", "project_id": "%s", "kind": %d,
         "git_path": {"repo": {"id": "r", "remote": "https://example.com/r.git", "branch": "main"}, "path": "apps/%d", "config_filename": "app.pipecd.yaml"},
         "labels": %s, "trigger": {"commit": {"hash": "%040d", "message": "Change something", "author": "ann", "branch": "main", "created_at": %d},
          "timestamp": %d}, "summary": "Sync with the specified pipeline", "status": %d, "stages": [%s, %s, %s],
         %s"created_at": %d, "updated_at": %d, "_extra": "app-%d"}"""
                .formatted(
                        id("d", number), application(application), application, piped(application % pipeds), project(application),
                        kind(application), application, labels(application), number, at, at, status,
                        stage.formatted(0, "WAIT", at), stage.formatted(1, "WAIT_APPROVAL", at), stage.formatted(2, "SCRIPT_RUN", at),
                        status > 3 ? "\"completed_at\": " + at + ", " : "", at, at, application);
    }

    private static String eventDocument(int number) {
        return """
        {"id": "%s", "name": "image-%d", "data": "v1.0.%d", "project_id": "%s", "event_key": "%064d", "labels": {"app": "app-%d", "env": "%s"}, "status": %d,
         "created_at": %d, "updated_at": %d, "_extra": "image-%d"}"""
                .formatted(
                        id("e", number), number % 200, number, project(number), number % 5000, number % 20_000, number % 2 == 0 ? "prod" : "dev",
                        number % 500 == 3 ? 2 : 1, BEGAN + number, BEGAN + number, number % 200);
    }
}
