// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.controlplane.filestore.S3Bucket.Bytes;
import dev.pipecd.controlplane.filestore.S3Bucket.Look;
import dev.pipecd.controlplane.filestore.StageLogStore.Part;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.LogBlock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The objects of one stage log and what is known of them: `0.txt`, the log in the public form, and
/// while it goes on the parts `0/00000001`, `0/00000002`, … behind it. Its owner guards it.
///
/// A part of at least `FULL` bytes is never touched again and may have a next one; a smaller one is
/// the last. Hence one question tells whether anything is new, and a write that was built on old
/// knowledge fails.
final class LogParts {
    private static final Logger log = LoggerFactory.getLogger(LogParts.class);

    /// Servers of one installation must agree on it.
    static final int FULL = 128 * 1024;

    private static final int LONGEST_SPAN = 256 * 1024;

    private final S3Bucket bucket;
    private final String file;
    private LogDigest digest = new LogDigest();
    private List<Span> spans = new ArrayList<>();
    private boolean known;
    private boolean joined;
    private boolean swept;
    private long joinedSize;
    private int last;
    private boolean unterminated;
    private LogTail tail = LogTail.NONE;

    /// Of the parts alone, as they were when the log was learnt.
    private LogDigest behind = new LogDigest();

    private long inFile;

    /// How much of the last part stands in the file too.
    private int repeated;

    LogParts(S3Bucket bucket, String file) {
        this.bucket = bucket;
        this.file = file;
    }

    LogDigest digest() {
        return digest;
    }

    boolean isEmpty() {
        return spans.isEmpty() && !digest.completed();
    }

    /// Knows what is there now.
    void look() {
        if (known) follow();
        else know();
    }

    /// Learns what is there, unless it is known.
    void know() {
        if (known) return;
        digest = new LogDigest();
        spans = new ArrayList<>();
        joined = false;
        joinedSize = 0;
        last = 0;
        tail = LogTail.NONE;
        unterminated = false;
        behind = new LogDigest();
        repeated = 0;
        learnFile();
        inFile = digest.size();
        joined = digest.completed();
        known = true;
        follow();
        if (!digest.completed() && last > 0 && joinedSize > 0) settle();
    }

    /// A server that stopped has handed the parts over, and a public one may have gone on with the
    /// file: no line may stand twice. Nothing is deleted, since another server may be writing.
    private void settle() {
        if (behind.size() == digest.size()) {
            spans.removeIf(span -> span.key().equals(file));
            digest = behind;
            joinedSize = 0;
            unterminated = false;
        } else if (inFile == digest.size()) {
            repeated = tail.size();
            spans.removeIf(span -> !span.key().equals(file));
            if (!tail.isFull())
                spans.add(new Span(part(last), repeated, repeated, digest.highest()));
        }
    }

    private void learnFile() {
        var in = bucket.read(file, new Bytes(0, Long.MAX_VALUE));
        if (in.isEmpty()) return;
        try (var lines = in.get()) {
            unterminated = LogLines.all(lines, this::learned);
        } catch (IOException e) {
            throw broken(e);
        }
    }

    private boolean learned(String line, long end) {
        digest.note(line);
        var first = spans.isEmpty() || joinedSize - spans.getLast().from() >= LONGEST_SPAN;
        var begin = first ? joinedSize : spans.removeLast().from();
        spans.add(new Span(file, begin, end, digest.highest()));
        joinedSize = end;
        return true;
    }

    /// Takes in what others have written since.
    void follow() {
        while (!digest.completed()) {
            if (last > 0 && !tail.isFull()) {
                switch (bucket.look(part(last), tail.tag())) {
                    case Look.Same() -> {}
                    case Look.Missing() -> again(); // joined by another server
                    case Look.Changed(var now) -> grown(now);
                }
            } else {
                var next = bucket.get(part(last + 1));
                if (next.isEmpty()) {
                    if (endsElsewhere()) again(); // all parts are gone: joined by another server
                    return;
                }
                begun(next.get());
            }
            if (!tail.isFull()) return;
        }
    }

    private void again() {
        known = false;
        know();
    }

    private void begun(S3Bucket.Held now) {
        last++;
        tail = LogTail.NONE;
        repeated = 0;
        spans.add(new Span(part(last), 0, 0, Long.MIN_VALUE));
        grown(now);
    }

    private void grown(S3Bucket.Held now) {
        var old = tail.size();
        var size = now.content().length;
        if (size < old) {
            again();
            return;
        }
        try {
            var _ =
                    LogLines.all(
                            new ByteArrayInputStream(now.content(), old, size - old),
                            (line, _) -> {
                                digest.note(line);
                                if (behind != digest) behind.note(line);
                                return true;
                            });
        } catch (IOException e) {
            throw broken(e);
        }
        kept(LogTail.of(now.content(), now.tag()));
    }

    private void kept(LogTail now) {
        tail = now;
        spans.removeLast();
        spans.add(new Span(part(last), repeated, now.size(), digest.highest()));
    }

    /// False when somebody else has written meanwhile; then nothing was.
    boolean write(List<LogBlock> news, boolean end) {
        var lines = LogLines.bytes(news, end);
        known = false; // until we know how it ended
        var written = last > 0 && !tail.isFull() ? extend(lines) : begin(lines);
        known = true;
        if (!written) return false;
        digest.note(news, end);
        kept(tail);
        return true;
    }

    private boolean extend(byte[] lines) {
        var content = Arrays.copyOf(tail.content(), tail.size() + lines.length);
        System.arraycopy(lines, 0, content, tail.size(), lines.length);
        var tag = bucket.replace(part(last), tail.tag(), content);
        tag.ifPresent(t -> tail = LogTail.of(content, t));
        return tag.isPresent();
    }

    private boolean begin(byte[] lines) {
        var next = part(last + 1);
        var tag = bucket.create(next, lines);
        if (tag.isEmpty()) return false;
        if (endsElsewhere()) {
            // The log had ended and its parts were gone, so that this one was free again.
            bucket.delete(next);
            again();
            return false;
        }
        last++;
        repeated = 0;
        tail = LogTail.of(lines, tag.get());
        spans.add(new Span(next, 0, lines.length, Long.MIN_VALUE));
        return true;
    }

    private boolean endsElsewhere() {
        var in = bucket.read(file, Bytes.last(LogLines.END.length() + 1));
        if (in.isEmpty()) return false;
        try (var end = in.get()) {
            return new String(end.readAllBytes(), StandardCharsets.UTF_8)
                    .strip()
                    .equals(LogLines.END);
        } catch (IOException e) {
            throw broken(e);
        }
    }

    /// Makes one file of a log that has ended: written first, read again, and only then are the
    /// parts deleted. Dying anywhere between leaves a log that is whole, and this to be done again.
    void join() {
        if (!joined) {
            var expected = digest.highest();
            writeFile();
            again();
            if (!joined || digest.highest() != expected)
                throw new Problem(
                        Problem.Code.STORE_UNAVAILABLE,
                        "stage log: %s reads back differently (expected: what was written)"
                                .formatted(file),
                        "The parts stay; look at the file store.");
        }
        sweep();
    }

    /// Writes a log that goes on where a public server finds it; one that comes next knows no
    /// parts. Where another server was at the file meanwhile, that one knows more.
    void handOver() {
        look();
        if (digest.completed() || last == 0 || endsElsewhere()) return;
        var known = bucket.tag(file).orElse("");
        unlessJoinedElsewhere(() -> bucket.putUnlessChanged(file, known, whole()));
    }

    private void writeFile() {
        unlessJoinedElsewhere(() -> bucket.put(file, whole()));
    }

    /// Who joins the parts deletes them while we read them.
    private void unlessJoinedElsewhere(Runnable write) {
        try {
            write.run();
        } catch (RuntimeException e) {
            if (!endsElsewhere()) throw e;
            log.debug("Another server was first to join {}", file, e);
        }
    }

    /// All lines in their order, read while they are written: a log may be larger than our memory.
    private S3Bucket.Flow whole() {
        var sources = List.copyOf(spans);
        var length = sources.stream().mapToLong(Span::size).sum() + (unterminated ? 1 : 0);
        return new S3Bucket.Flow(
                length, () -> new SequenceInputStream(Collections.enumeration(opened(sources))));
    }

    /// Each is opened when the one before has been read.
    private List<InputStream> opened(List<Span> sources) {
        var opened = new ArrayList<InputStream>();
        for (var span : sources) {
            opened.add(new S3Bucket.LateStream(() -> open(span)));
            if (unterminated && span.key().equals(file) && span.to() == joinedSize)
                opened.add(new ByteArrayInputStream(new byte[] {'\n'}));
        }
        return opened;
    }

    /// The first part goes last: while it is there, there may be others.
    private void sweep() {
        if (swept || bucket.look(part(1), "") instanceof Look.Missing) {
            swept = true;
            return;
        }
        var most = (int) (joinedSize / FULL) + 1;
        bucket.delete(IntStream.rangeClosed(2, most).mapToObj(this::part).toList());
        bucket.delete(part(1));
        swept = true;
    }

    Part read(long from) {
        for (var tries = 0; tries < 3; tries++) {
            try {
                return digest.part(found(from));
            } catch (PartGone _) {
                again(); // joined by another server while we read
            }
        }
        throw new Problem(
                Problem.Code.STORE_UNAVAILABLE,
                "stage log: %s changes while it is read".formatted(file),
                "Read it again.");
    }

    private List<LogBlock> found(long from) {
        var found = new ArrayList<LogBlock>();
        var bytes = new long[1];
        for (var span : spans) {
            if (span.highest() < from) continue;
            if (digest.ordered() && bytes[0] > LogDigest.LARGEST_PART_BYTES) break;
            try (var in = open(span)) {
                var _ =
                        LogLines.all(
                                in,
                                (line, _) -> {
                                    LogLines.block(line)
                                            .filter(block -> block.getIndex() >= from)
                                            .ifPresent(block -> {
                                                found.add(block);
                                                bytes[0] += block.getSerializedSize();
                                            });
                                    return true;
                                });
            } catch (IOException e) {
                throw broken(e);
            }
        }
        return found;
    }

    private InputStream open(Span span) {
        if (last > 0 && !tail.isFull() && span.key().equals(part(last)))
            return new ByteArrayInputStream(tail.content(), (int) span.from(), (int) span.size());
        return bucket.read(span.key(), new Bytes(span.from(), span.to()))
                .<InputStream>map(in -> in)
                .orElseThrow(PartGone::new);
    }

    private String part(int number) {
        return "%s/%08d".formatted(file.substring(0, file.length() - ".txt".length()), number);
    }

    private static Problem broken(IOException e) {
        return new Problem(
                Problem.Code.STORE_UNAVAILABLE,
                "file store: the connection broke while reading",
                "It is tried again; if it stays, look at the file store.",
                e);
    }

    /// Some lines of an object and the highest index up to there: who wants more need not read
    /// them.
    private record Span(String key, long from, long to, long highest) {
        long size() {
            return to - from;
        }
    }

    private static final class PartGone extends RuntimeException {
        private static final long serialVersionUID = 1;

        PartGone() {
            super("gone", null, false, false);
        }
    }
}
