// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source.tree;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jgit.diff.RawText;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;

/// Paths with `..` in them that texts name. What was read last is remembered by its content: each
/// stage of a deployment is given the same files.
final class References {
    private static final int LARGEST = 1 << 20;
    private static final long MOST_BYTES = 4L << 20;

    /// No path of Linux is longer.
    private static final int LONGEST = 4_096;

    private final Map<ObjectId, List<String>> kept = new LinkedHashMap<>(64, 0.75f, true);
    private long bytes;

    /// Nothing of a file that is large or no text.
    List<String> of(ObjectReader reader, ObjectId blob) throws IOException {
        synchronized (kept) {
            var known = kept.get(blob);
            if (known != null) return known;
        }
        var found = read(reader, blob);
        if (weight(found) <= MOST_BYTES / 64) keep(blob.copy(), found);
        return found;
    }

    /// Bounded by what they weigh: whoever may push writes them.
    private void keep(ObjectId blob, List<String> found) {
        synchronized (kept) {
            if (kept.put(blob, found) == null) bytes += weight(found);
            var eldest = kept.values().iterator();
            while (bytes > MOST_BYTES) {
                bytes -= weight(eldest.next());
                eldest.remove();
            }
        }
    }

    private static long weight(List<String> paths) {
        var weight = 150L;
        for (var path : paths) weight += 60 + 2L * path.length();
        return weight;
    }

    /// How much is remembered.
    long bytes() {
        synchronized (kept) {
            return bytes;
        }
    }

    private static List<String> read(ObjectReader reader, ObjectId blob) throws IOException {
        if (reader.getObjectSize(blob, Constants.OBJ_BLOB) > LARGEST) return List.of();
        var text = reader.open(blob, Constants.OBJ_BLOB).getCachedBytes(LARGEST);
        return RawText.isBinary(text) ? List.of() : in(text);
    }

    static List<String> in(byte[] text) {
        var found = new LinkedHashSet<String>();
        for (var at = 0; at + 1 < text.length; at++) {
            if (!climbsAt(text, at)) continue;
            var from = at;
            while (from > 0 && isOfPath(text[from - 1])) from--;
            var end = at + 2;
            while (end < text.length && isOfPath(text[end])) end++;
            // What a variable stands for is mostly the folder of the file itself.
            if (from > 0 && text[from - 1] == '$') while (text[from] != '/' && from < at) from++;
            if (end - from <= LONGEST)
                found.add(withoutStop(new String(text, from, end - from, StandardCharsets.UTF_8)));
            at = end;
        }
        return List.copyOf(found);
    }

    /// Where a path leads from a folder; nothing when it leaves the repository.
    static Optional<String> from(String folder, String path) {
        var parts = new ArrayList<>(TreePath.parts(folder));
        for (var part : path.split("/")) {
            if (part.isEmpty() || part.equals(".")) continue;
            if (!part.equals("..")) parts.add(part);
            else if (parts.isEmpty()) return Optional.empty();
            else parts.removeLast();
        }
        return Optional.of(String.join("/", parts));
    }

    /// Whether a path ends in a name, and so is more than a way up.
    static boolean names(String path) {
        return !path.endsWith("..") && !path.endsWith("../");
    }

    private static boolean climbsAt(byte[] text, int at) {
        return text[at] == '.'
                && text[at + 1] == '.'
                && (at == 0 || text[at - 1] == '/' || !isOfPath(text[at - 1]))
                && (at + 2 == text.length || text[at + 2] == '/' || !isOfPath(text[at + 2]));
    }

    private static String withoutStop(String path) {
        return names(path) && path.endsWith(".") ? path.substring(0, path.length() - 1) : path;
    }

    private static boolean isOfPath(byte c) {
        return c < 0
                || (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || "._-/+@~%".indexOf(c) >= 0;
    }
}
