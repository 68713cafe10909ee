// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source.tree;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;

/// Folders of commits as they were read last: one with 50,000 names is not read anew for each of
/// them.
public final class Trees {
    private static final int MOST_BYTES = 16 << 20;
    private static final int LARGEST = 64 << 20;
    private static final int MOST_ROOTS = 64;

    private final Map<ObjectId, Names> kept = new LinkedHashMap<>(64, 0.75f, true);
    private final Map<String, ObjectId> roots = new LinkedHashMap<>(64, 0.75f, true);
    private final References references = new References();
    private long bytes;

    /// What files refer to, as they were read last.
    References references() {
        return references;
    }

    /// The top folder of a commit that was read before.
    public Optional<ObjectId> root(String commit) {
        synchronized (roots) {
            return Optional.ofNullable(roots.get(commit));
        }
    }

    public void keepRoot(String commit, ObjectId tree) {
        synchronized (roots) {
            roots.put(commit, tree);
            if (roots.size() > MOST_ROOTS) roots.remove(roots.keySet().iterator().next());
        }
    }

    /// Another clone may lack commits that this one had.
    public void forgetRoots() {
        synchronized (roots) {
            roots.clear();
        }
    }

    public Optional<TreePath.Entry> find(ObjectReader reader, AnyObjectId tree, String name)
            throws IOException {
        return names(reader, tree.copy()).find(name.getBytes(StandardCharsets.UTF_8));
    }

    private Names names(ObjectReader reader, ObjectId tree) throws IOException {
        synchronized (kept) {
            var names = kept.get(tree);
            if (names != null) return names;
        }
        var names = read(reader, tree);
        synchronized (kept) {
            if (kept.put(tree, names) == null) bytes += names.bytes();
            var eldest = kept.entrySet().iterator();
            while (bytes > MOST_BYTES && kept.size() > 1) {
                bytes -= eldest.next().getValue().bytes();
                eldest.remove();
            }
        }
        return names;
    }

    private static Names read(ObjectReader reader, ObjectId tree) throws IOException {
        try {
            return Names.of(reader.open(tree, Constants.OBJ_TREE).getCachedBytes(LARGEST));
        } catch (IndexOutOfBoundsException e) {
            throw new CorruptObjectException(tree.name() + ": a folder that is cut short", e);
        }
    }

    /// One folder as Git writes it (mode, space, name, zero, id), and where each name begins.
    private record Names(byte[] raw, int[] table) {
        private static final int EMPTY = -1;

        static Names of(byte[] raw) {
            var count = 0;
            for (var at = 0; at < raw.length; at = next(raw, at)) count++;
            var table = new int[Math.max(4, Integer.highestOneBit(Math.max(1, count)) * 4)];
            Arrays.fill(table, EMPTY);
            for (var at = 0; at < raw.length; at = next(raw, at)) {
                var from = name(raw, at);
                var slot = slot(table, hash(raw, from, end(raw, from)));
                while (table[slot] != EMPTY) slot = slot(table, slot + 1);
                table[slot] = at;
            }
            return new Names(raw, table);
        }

        Optional<TreePath.Entry> find(byte[] name) {
            for (var slot = slot(table, hash(name, 0, name.length));
                    table[slot] != EMPTY;
                    slot = slot(table, slot + 1)) {
                var from = name(raw, table[slot]);
                var end = end(raw, from);
                if (Arrays.equals(raw, from, end, name, 0, name.length))
                    return Optional.of(
                            new TreePath.Entry(
                                    FileMode.fromBits(mode(raw, table[slot])),
                                    ObjectId.fromRaw(raw, end + 1)));
            }
            return Optional.empty();
        }

        long bytes() {
            return raw.length + 4L * table.length + 100;
        }

        private static int slot(int[] table, int hash) {
            return hash & (table.length - 1);
        }

        private static int hash(byte[] of, int from, int end) {
            var hash = 0x811c9dc5;
            for (var i = from; i < end; i++) hash = (hash ^ of[i]) * 0x01000193;
            return hash ^ (hash >>> 15);
        }

        private static int next(byte[] raw, int at) {
            return end(raw, name(raw, at)) + 1 + Constants.OBJECT_ID_LENGTH;
        }

        private static int name(byte[] raw, int at) {
            return find(raw, at, ' ') + 1;
        }

        private static int end(byte[] raw, int name) {
            return find(raw, name, '\0');
        }

        private static int find(byte[] raw, int from, char wanted) {
            var at = from;
            while (raw[at] != wanted) at++;
            return at;
        }

        private static int mode(byte[] raw, int at) {
            var mode = 0;
            for (var i = at; raw[i] != ' '; i++) mode = (mode << 3) + raw[i] - '0';
            return mode;
        }
    }
}
