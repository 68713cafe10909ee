// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static dev.pipecd.controlplane.store.Replica.atOnce;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Locale.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.filestore.FileJournal;
import dev.pipecd.controlplane.filestore.FilePath;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// Two servers with one journal of files, on every engine.
@ParameterizedClass
@EnumSource(TestEngine.class)
class FileJournalContractTest {
    private static final AtomicInteger TESTS = new AtomicInteger();

    /// Of this test alone: servers keep what others have left.
    private final String name = "a" + TESTS.incrementAndGet();

    private final FilePath file = FilePath.of("application-live-state", name);
    private final FilePath upper = FilePath.of("application-live-state", name.toUpperCase(ROOT));

    private final TestEngine engine;
    private Replicas replicas;
    private FileJournal here;
    private FileJournal there;

    FileJournalContractTest(TestEngine engine) {
        this.engine = engine;
    }

    @BeforeEach
    void open() {
        replicas = engine.replicas();
        here = new JournalTable(replicas.here());
        there = new JournalTable(replicas.there());
    }

    @AfterEach
    void close() {
        replicas.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static Optional<String> content(FileJournal journal, FilePath file) {
        return journal.find(file).content().map(bytes -> new String(bytes, UTF_8));
    }

    @Test
    void whatOneServerPutsTheOtherFindsAsItWas() {
        var odd = "ü\u0000\n\"';".repeat(20_000);
        here.put(file, bytes("old"));
        there.put(file, bytes(odd));
        here.put(upper, bytes("other"));

        assertThat(content(here, file)).hasValue(odd);
        assertThat(content(there, upper)).hasValue("other");
        assertThat(here.find(file).number()).isEqualTo(2);
        assertThat(here.find(FilePath.of("nothing")))
                .isEqualTo(new FileJournal.Waiting(0, Optional.empty()));
    }

    @Test
    void theSecondOfTwoWhoReplaceIsTold() {
        here.put(file, bytes("first"));
        var known = here.find(file).number();

        assertThat(there.replace(file, known, Optional.of(bytes("there")))).isTrue();

        assertThat(here.replace(file, known, Optional.of(bytes("here")))).isFalse();
        assertThat(content(here, file)).hasValue("there");
    }

    @Test
    void ofTwoWhoBeginTheSecondIsToldToo() {
        assertThat(here.replace(file, 0, Optional.of(bytes("here")))).isTrue();
        assertThat(there.replace(file, 0, Optional.of(bytes("there")))).isFalse();
        assertThat(content(there, file)).hasValue("here");
    }

    @Test
    void whatIsTakenOutWaitsNoMoreAndIsNotTakenForNewer() {
        here.put(file, bytes("first"));
        assertThat(there.waiting(Duration.ZERO)).contains(file);
        assertThat(there.waiting(Duration.ofMinutes(1))).doesNotContain(file);
        var known = here.find(file).number();

        assertThat(here.replace(file, known, Optional.empty())).isTrue();

        assertThat(content(there, file)).isEmpty();
        assertThat(there.waiting(Duration.ZERO)).doesNotContain(file);
        assertThat(there.replace(file, known, Optional.of(bytes("late")))).isFalse();
        here.put(file, bytes("second"));
        assertThat(there.waiting(Duration.ZERO)).contains(file);
    }

    @Test
    void noChangeOfManyServersIsLost() throws Exception {
        here.put(file, bytes(""));
        atOnce(
                16,
                i -> {
                    var journal = i % 2 == 0 ? here : there;
                    while (true) {
                        var known = journal.find(file);
                        var longer = new String(known.content().orElseThrow(), UTF_8) + i + " ";
                        if (journal.replace(file, known.number(), Optional.of(bytes(longer))))
                            return;
                    }
                });

        assertThat(content(here, file).orElseThrow().strip().split(" "))
                .containsExactlyInAnyOrder(
                        IntStream.range(0, 16).mapToObj(Integer::toString).toArray(String[]::new));
    }
}
