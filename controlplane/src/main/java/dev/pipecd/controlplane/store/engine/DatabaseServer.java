// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pipecd.domain.Problem;
import java.lang.module.ModuleDescriptor.Version;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A MySQL or MariaDB server, written by any number of our processes at once; which of the two it
/// is, it says itself.
public final class DatabaseServer implements Engine {
    private static final int NO_SUCH_DATABASE = 1049;

    /// The first with defaults that are expressions, which the schema has.
    private static final String LEAST_MYSQL = "8.0.13";

    private static final String LEAST_MARIADB = "10.11";
    private static final Pattern NUMBER = Pattern.compile("\\d+(\\.\\d+)+");
    private static final Logger log = LoggerFactory.getLogger(DatabaseServer.class);
    private static final int READERS = 16;
    private static final Duration PATIENCE_AT_START = Duration.ofSeconds(30);

    /// What the public form may carry and means nothing here.
    private static final Set<String> WITHOUT_EFFECT =
            Set.of(
                    "parseTime",
                    "loc",
                    "charset",
                    "collation",
                    "multiStatements",
                    "interpolateParams",
                    "clientFoundRows",
                    "columnsWithAlias",
                    "checkConnLiveness",
                    "rejectReadOnly",
                    "allowAllFiles",
                    "allowCleartextPasswords",
                    "allowFallbackToPlaintext",
                    "allowNativePasswords",
                    "allowOldPasswords",
                    "connectionAttributes",
                    "maxAllowedPacket",
                    "serverPubKey",
                    "timeTruncate",
                    "timeout",
                    "readTimeout",
                    "writeTimeout",
                    "tls");

    /// The public schema cuts what it searches by to 36, 40 or 50 letters. Without the strict mode
    /// a longer name is stored whole; with it the report would be refused.
    private static final String MODE = "NO_ENGINE_SUBSTITUTION";

    private final Dialect dialect;
    private final DataSource writers;
    private final HikariDataSource readers;
    private final Set<String> views;

    private DatabaseServer(Dialect dialect, Dsn dsn, Set<String> views, Patience patience)
            throws SQLException {
        this.dialect = dialect;
        this.writers = source(dsn, true);
        this.views = views;
        this.readers = readers(source(dsn), patience);
    }

    /// @param type what the configuration calls it: `MYSQL` or `MARIADB`
    public static DatabaseServer open(Dsn dsn, String type, Patience patience) {
        try (var connection = firstConnection(dsn)) {
            var dialect = dialect(connection, type);
            log.info("The store is {} at {}.", version(connection), dsn.place());
            Migrations.run(connection, dialect, dsn);
            return new DatabaseServer(dialect, dsn, views(connection), patience);
        } catch (SQLException e) {
            throw failed(dsn, e);
        }
    }

    /// Nobody else tells of it at the start: the reason is part of it.
    public static Problem failed(Dsn dsn, SQLException e) {
        if (refusesUs(e)) return refused(dsn, e);
        if (Tls.notOffered(e)) return plainOnly(dsn, e);
        if (lost(e)) return unreachable(dsn, e);
        return new Problem(
                Problem.Code.SETTING_INVALID,
                "datastore: %s fails (expected: a database user \"%s\" may read and write)"
                        .formatted(dsn.place(), dsn.user()),
                Rights.advice(dsn) + "; it says: " + e.getMessage(),
                e);
    }

    /// In a fleet that starts as a whole the database may come up last.
    private static Connection firstConnection(Dsn dsn) throws SQLException {
        var source = source(dsn);
        var end = System.nanoTime() + PATIENCE_AT_START.toNanos();
        while (true) {
            try {
                return source.getConnection();
            } catch (SQLException e) {
                if (refusesUs(e)) throw refused(dsn, e);
                if (Tls.notOffered(e)) throw plainOnly(dsn, e);
                if (System.nanoTime() - end > 0) throw unreachable(dsn, e);
                log.info("Waiting for the database at {}: {}", dsn.place(), e.getMessage());
                LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
            }
        }
    }

    /// Wrong password, no right to the database, no such database.
    static boolean refusesUs(SQLException e) {
        return Set.of(1044, 1045, NO_SUCH_DATABASE, 1698).contains(e.getErrorCode());
    }

    static Problem refused(Dsn dsn, SQLException e) {
        if (e.getErrorCode() == NO_SUCH_DATABASE)
            return new Problem(
                    Problem.Code.SETTING_INVALID,
                    "datastore.config.database: \"%s\" (expected: a database of %s)"
                            .formatted(dsn.database(), dsn.address()),
                    "Create it (CREATE DATABASE …), or correct the name.",
                    e);
        return new Problem(
                Problem.Code.SETTING_INVALID,
                "datastore: %s refuses user \"%s\" (expected: a database and a user who may create"
                                .formatted(dsn.place(), dsn.user())
                        + " tables in it)",
                "Create both (CREATE DATABASE …; GRANT ALL ON …) or correct datastore.config; it"
                        + " says: "
                        + e.getMessage(),
                e);
    }

    private static Problem plainOnly(Dsn dsn, SQLException e) {
        return new Problem(
                Problem.Code.SETTING_INVALID,
                "datastore.config.url: tls=%s (expected: false, or preferred, because %s offers no"
                                .formatted(dsn.parameters().get("tls"), dsn.place())
                        + " encryption)",
                "Let the database offer TLS, or write tls=preferred, which does without where there"
                        + " is none.",
                e);
    }

    static Problem unreachable(Dsn dsn, SQLException e) {
        return new Problem(
                Problem.Code.STORE_UNAVAILABLE,
                "datastore: %s does not answer".formatted(dsn.place()),
                "Check that it runs, its address in datastore.config.url and the network between;"
                        + " it says: "
                        + e.getMessage(),
                e);
    }

    static String version(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseProductName()
                + " "
                + connection.getMetaData().getDatabaseProductVersion();
    }

    static Dialect dialect(Connection connection, String type) throws SQLException {
        return dialect(version(connection), type);
    }

    /// @param found product and version
    static Dialect dialect(String found, String type) {
        var maria = found.contains("MariaDB");
        if (type.equals("MARIADB") && !maria) throw unknown(found, "MariaDB", "MYSQL");
        var least = maria ? LEAST_MARIADB : LEAST_MYSQL;
        if (number(found).compareTo(Version.parse(least)) < 0)
            throw unknown(found, (maria ? "MariaDB " : "MySQL ") + least + " or later", "SQLITE");
        return maria ? new MariaDbDialect() : new MySqlDialect();
    }

    /// Without what distributions write behind it.
    private static Version number(String found) {
        return Version.parse(
                NUMBER.matcher(found).results().map(MatchResult::group).findFirst().orElse("0"));
    }

    private static Problem unknown(String found, String expected, String other) {
        return new Problem(
                Problem.Code.SETTING_INVALID,
                "datastore: %s (expected: %s)".formatted(found, expected),
                "Upgrade the database, point datastore.config.url to another one, or set"
                        + " datastore.type to "
                        + other
                        + ".");
    }

    private static Set<String> views(Connection connection) throws SQLException {
        var found = new HashSet<String>();
        try (var statement = connection.createStatement();
                var rows =
                        statement.executeQuery(
                                "SELECT TABLE_NAME FROM information_schema.VIEWS"
                                        + " WHERE TABLE_SCHEMA = DATABASE()")) {
            while (rows.next()) found.add(rows.getString(1));
        }
        return found;
    }

    /// Whether it can be asked for at all, without asking it.
    public static void check(Dsn dsn) {
        var _ = url(dsn, Tls.of(dsn).mode());
    }

    private static String url(Dsn dsn, String tls) {
        var options =
                List.of(
                        "sslMode=" + tls,
                        "allowPublicKeyRetrieval=true", // as the public client does without TLS
                        "jdbcCompliantTruncation=false",
                        "connectTimeout=5000",
                        "socketTimeout=30000",
                        "transactionIsolation=READ-COMMITTED",
                        variables(dsn),
                        dsn.unix() ? "localSocket=" + dsn.address() : "tcpKeepAlive=true");
        return "jdbc:mariadb://%s/%s?%s"
                .formatted(
                        dsn.unix() ? "localhost" : dsn.address(),
                        dsn.database(),
                        String.join("&", options));
    }

    /// What the public client does not know either it sets as variables of its session.
    private static String variables(Dsn dsn) {
        return dsn.parameters().entrySet().stream()
                .filter(p -> !WITHOUT_EFFECT.contains(p.getKey()))
                .map(p -> p.getKey() + "=" + p.getValue())
                .collect(Collectors.joining(",", "sessionVariables=", ""));
    }

    static DataSource source(Dsn dsn) throws SQLException {
        return source(dsn, false);
    }

    /// @param together several statements may be sent at once, which only what writes has reason
    ///   to; who reads asks the same again and again, and has it taken apart once
    private static DataSource source(Dsn dsn, boolean together) throws SQLException {
        var tls = Tls.of(dsn);
        var wanted = source(dsn, together, tls.mode());
        return tls.orPlain() ? new WhereOffered(wanted, source(dsn, together, Tls.PLAIN)) : wanted;
    }

    private static DataSource source(Dsn dsn, boolean together, String tls) throws SQLException {
        var source =
                new MariaDbDataSource(
                        url(dsn, tls)
                                + "&allowMultiQueries=%1$s&useServerPrepStmts=%2$s&cachePrepStmts=%2$s"
                                        .formatted(together, !together));
        source.setUser(dsn.user());
        source.setPassword(dsn.password());
        return source;
    }

    private static HikariDataSource readers(DataSource source, Patience patience) {
        var config = new HikariConfig();
        config.setPoolName("store-readers");
        config.setDataSource(source);
        config.setReadOnly(true);
        config.setMaximumPoolSize(READERS);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(patience.reading().toMillis());
        config.setIdleTimeout(Duration.ofMinutes(5).toMillis());
        config.setMaxLifetime(Duration.ofMinutes(10).toMillis());
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }

    @Override
    public Dialect dialect() {
        return dialect;
    }

    @Override
    public boolean shared() {
        return true;
    }

    @Override
    public String source(String table) {
        return views.contains(table + "View") ? table + "View" : table;
    }

    @Override
    public DataSource readers() {
        return readers;
    }

    @Override
    public Connection connect() throws SQLException {
        var connection = writers.getConnection();
        try (var statement = connection.createStatement()) {
            statement.execute("SET SESSION sql_mode = '" + MODE + "'");
            statement.execute("SET SESSION innodb_lock_wait_timeout = 5");
            connection.setAutoCommit(false);
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    @Override
    public Trouble trouble(SQLException e) {
        return judged(e);
    }

    static boolean lost(SQLException e) {
        return judged(e) == Trouble.LOST;
    }

    private static Trouble judged(SQLException e) {
        return switch (e.getErrorCode()) {
            // lock wait timeout, deadlock
            case 1205, 1213 -> Trouble.AGAIN;
            // too many connections, shutdown, a statement kept ready before a table was changed,
            // read-only after a fail-over, killed, gone
            case 1040, 1053, 1243, 1290, 1615, 1792, 1836, 1927, 2006, 2013, 3169, 4031 ->
                    Trouble.LOST;
            case 1062 -> Trouble.TAKEN;
            case 1048, 1264, 1406, 3140 -> Trouble.UNFIT;
            case 1644 -> Trouble.FORBIDDEN;
            default -> {
                var state = e.getSQLState() == null ? "" : e.getSQLState();
                if (state.startsWith("08")) yield Trouble.LOST;
                yield state.equals("40001") ? Trouble.AGAIN : Trouble.LASTING;
            }
        };
    }

    @Override
    public void close() {
        readers.close();
    }
}
