// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.read.AskedKeys.Name;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Keeps `docs/reference/configuration.md` equal to the readers: what a key means stands beside the
/// code that reads it ([Keys]); what it is, its default and whether it must be written are heard
/// while samples are read. `-Dpages.write=true` writes the page.
final class ConfigurationPageTest {
    private static final Path PAGE = Path.of("../docs/reference/configuration.md");

    private static final String HEAD =
            """
            # Configuration keys

            Written from the code by `ConfigurationPageTest`. Three documents, one form: `apiVersion: pipecd.dev/v1beta1`, a `kind`, and a `spec`; and the old files of `.pipe`.

            How files are read:

            - All mistakes of a file are told at once, each with line and column; an unknown key names the nearest known one.
            - Upper and lower case of keys do not matter. Lengths of time are written `30s`, `1h30m`, `1.5s`, `300ms`.
            - Size, nesting, number of parts and aliases are bounded.
            - A **secret** is written in the file itself or, better, as `env:NAME` or `file:PATH`; it is read when it is needed and never shown. At start the
              effective configuration is printed with secrets masked.
            - *Required* is what must be written in each object that is there; an object or a list may be left out unless it says otherwise.
            - *Ours* means: not in the public system. *Not used yet* means: read, checked, and without effect in this version.
            """;

    /// A table of the page, with the text above it; the readers it tells of, among those of the
    /// document.
    private record Table(String above, List<String> readers) {}

    private record Document(Supplier<AskedKeys> keys, List<Table> tables) {
        Document(Supplier<AskedKeys> keys, Table... tables) {
            this(keys, List.of(tables));
        }

        List<String> readers() {
            return tables.stream().flatMap(table -> table.readers().stream()).toList();
        }
    }

    private static final List<Document> DOCUMENTS =
            List.of(
                    new Document(
                            KeySamples::controlPlane,
                            new Table(
                                    """
                                    ## ControlPlane

                                    For `pipecd server --config-file` and `pipecd ops --config-file`. Unknown keys are mistakes, except under `datastore` and `filestore`, where they are warned about. A file that ends after `spec:`, `datastore:` or `filestore:` is refused as cut short; `spec: {}` means the defaults.
                                    """,
                                    List.of("ControlPlaneReader", "SharedSsoReader"))),
                    new Document(
                            KeySamples::piped,
                            new Table(
                                    """
                                    ## Piped

                                    For `piped run`. Unknown keys are accepted and warned about, as in the public system. Files of all ages are read: [the files you have](../guides/agent.md#the-files-you-have).
                                    """,
                                    List.of("PipedReader", "PluginsReader", "NotificationsReader")),
                            new Table(
                                    """
                                    What agents had before there were plugins. It joins the first of `plugins` that serves the platform (by its name or as its built-in), else the built-in of that name; `wait`, `waitapproval` and
                                    `scriptrun` are then there by themselves:
                                    """,
                                    List.of("ProvidersReader", "OldSectionsReader"))),
                    new Document(
                            KeySamples::application,
                            new Table(
                                    """
                                    ## Application

                                    The file beside an application's manifests, usually `app.pipecd.yaml` (any name ending in `.pipecd.yaml`). `kind` is `Application`, or one of the old kinds
                                    `KubernetesApp`, `TerraformApp`, `LambdaApp`, `CloudRunApp` and `ECSApp`. Unknown keys are accepted and warned about, as in the public system.
                                    """,
                                    List.of("ApplicationReader", "AdditionsReader")),
                            new Table(
                                    """
                                    What stands on top of an old kind:
                                    """,
                                    List.of("OldApplicationReader"))),
                    new Document(
                            KeySamples::events,
                            new Table(
                                    """
                                    ## EventWatcher

                                    The old [files of `.pipe`](../guides/event-watcher.md#files-of-pipe). Unknown keys are accepted and warned about.
                                    """,
                                    List.of("EventsReader"))));

    @Test
    void pageIsWhatTheReadersSay() throws IOException {
        var page =
                HEAD
                        + DOCUMENTS.stream()
                                .map(ConfigurationPageTest::shown)
                                .collect(Collectors.joining());

        if (Boolean.getBoolean("pages.write")) Files.writeString(PAGE, page);

        assertThat(PAGE).as("-Dpages.write=true writes %s", PAGE).hasContent(page);
    }

    @Test
    void everyKeyIsToldOfOnceAndAsItIs() {
        for (var document : DOCUMENTS)
            assertThat(breaches(document.keys().get(), rows(document.readers()))).isEmpty();
    }

    /// Keys of a branch that no sample takes would be forgotten.
    @Test
    void everyKeyThatTheReadersNameIsReachedBySomeSample() throws IOException {
        assertThat(ReaderClasses.all())
                .containsExactlyInAnyOrderElementsOf(
                        DOCUMENTS.stream().flatMap(each -> each.readers().stream()).toList());
        for (var document : DOCUMENTS) {
            var known = document.keys().get().words();
            var words =
                    rows(document.readers()).stream()
                            .map(KeyRow::meaning)
                            .collect(Collectors.joining());
            for (var reader : document.readers())
                assertThat(ReaderClasses.keys(reader))
                        .as(reader)
                        .isNotEmpty()
                        .allMatch(key ->
                                known.contains(key)
                                        || key.equals("spec")
                                        || words.contains("`" + key + "`"));
        }
    }

    @Test
    void aKeyWithoutWordsIsSeen() {
        assertThat(planted("cache.address | | | Where."))
                .containsExactly("cache.size: read and not told of");
        assertThat(planted("cache.address, size | text, number | `a`, `5` | .")).isEmpty();
    }

    @Test
    void wordsWithoutAKeyAreSeen() {
        assertThat(planted("cache.address | | | .", "cache.size, colour | number | `5` | ."))
                .contains("cache.size, cache.colour: cache.colour is read by nobody");
    }

    @Test
    void aDefaultThatIsNotTheOneTakenIsSeen() {
        assertThat(planted("cache.address | | | .", "cache.size | | `6` | ."))
                .containsExactly("cache.size: cache.size is 5 when it is not written");
    }

    @Test
    void aSecretThatIsNotCalledOneIsSeen() {
        var keys = new AskedKeys();
        keys.heard("spec.key", "Piped", "secret", List.of(""));

        assertThat(breaches(keys, Stream.of("key | text | | .").map(KeyRow::parse).toList()))
                .containsExactly("key: key is hidden and not called a secret or a path");
    }

    @Test
    void keysThatAreNotAlikeDoNotShareARow() {
        assertThat(planted("cache.address, size | text, number | | ."))
                .containsExactly(
                        "cache.address, cache.size: some have a default and some have none",
                        "cache.address, cache.size: some are required and some are not");
    }

    private static List<String> planted(String... rows) {
        var keys = new AskedKeys();
        keys.heard("spec.cache.address", "ControlPlane", "required", List.of());
        keys.heard("spec.cache.address", "ControlPlane", "text", List.of(""));
        keys.heard("spec.cache.size", "ControlPlane", "number", List.of(5, 0, 9));
        return breaches(keys, Stream.of(rows).map(KeyRow::parse).toList());
    }

    private static List<String> breaches(AskedKeys keys, List<KeyRow> rows) {
        var found = new ArrayList<String>();
        for (var name : keys.names()) {
            var told = rows.stream().filter(row -> row.isAbout(name)).count();
            var elsewhere = rows.stream().anyMatch(row -> row.paths().contains(name.path()));
            var isFree =
                    keys.holdsOthers(name)
                            || (elsewhere && keys.at(name).type().equals(AskedKeys.OUTDATED));
            if (told == 0 && !isFree) found.add(name.path() + ": read and not told of");
            if (told > 1) found.add("%s: told of %d times".formatted(name.path(), told));
        }
        rows.forEach(row -> found.addAll(row.breaches(keys)));
        return found;
    }

    private static List<KeyRow> rows(List<String> readers) {
        return readers.stream().flatMap(reader -> ReaderClasses.rows(reader).stream()).toList();
    }

    private static String shown(Document document) {
        var keys = document.keys().get();
        return document.tables().stream()
                .map(table -> shown(table, keys))
                .collect(Collectors.joining());
    }

    /// What is in one section of the document stands together, in the order it is read.
    private static String shown(Table table, AskedKeys keys) {
        var sections = keys.names().stream().map(Name::top).distinct().toList();
        return "\n%s\n| Key under `spec` | Type | Default | Meaning |\n|---|---|---|---|\n%s"
                .formatted(
                        table.above(),
                        rows(table.readers()).stream()
                                .sorted(Comparator.comparing(row -> sections.indexOf(row.top())))
                                .map(row -> row.shown(keys))
                                .collect(Collectors.joining()));
    }
}
