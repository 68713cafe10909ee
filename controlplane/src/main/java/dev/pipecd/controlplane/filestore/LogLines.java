// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.controlplane.document.GoJson;
import dev.pipecd.wire.model.LogBlock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/// The public form of a stage log: one block a line in JSON, `EOL` behind the last. A line is as
/// long as it is.
final class LogLines {
    static final String END = "EOL";
    private static final int READ_AT_ONCE = 64 * 1024;

    private LogLines() {}

    static byte[] bytes(List<LogBlock> blocks, boolean end) {
        var lines = new ByteArrayOutputStream();
        for (var block : blocks) lines.writeBytes(line(GoJson.write(block).toString()));
        if (end) lines.writeBytes(line(END));
        return lines.toByteArray();
    }

    private static byte[] line(String text) {
        return (text + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /// Empty for the end and for a line that is not ours; one bad line must not hide the others.
    static Optional<LogBlock> block(String line) {
        if (line.isEmpty() || line.equals(END)) return Optional.empty();
        try {
            return Optional.of(GoJson.read(LogBlock.getDefaultInstance(), line));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    /// Hands over complete lines; answers what stands behind the last of them.
    static String each(InputStream in, Reader reader) throws IOException {
        return read(in, reader).text();
    }

    /// Whether it is a line as we or the public server write it, and not a piece of one.
    static boolean counts(String line) {
        return line.equals(END) || block(line).isPresent();
    }

    /// Hands over all lines, the last one also without a newline; answers whether it had none.
    static boolean all(InputStream in, Reader reader) throws IOException {
        var rest = read(in, reader);
        if (rest.text().isEmpty()) return false;
        var _ = reader.next(rest.text(), rest.end());
        return true;
    }

    private static Rest read(InputStream in, Reader reader) throws IOException {
        var buffer = new byte[READ_AT_ONCE];
        var line = new ByteArrayOutputStream();
        var place = 0L;
        int count;
        while ((count = in.read(buffer)) > 0) {
            var begin = 0;
            for (var i = 0; i < count; i++) {
                if (buffer[i] != '\n') continue;
                line.write(buffer, begin, i - begin);
                begin = i + 1;
                if (!reader.next(line.toString(StandardCharsets.UTF_8), place + begin))
                    return new Rest("", 0);
                line.reset();
            }
            line.write(buffer, begin, count - begin);
            place += count;
        }
        return new Rest(line.toString(StandardCharsets.UTF_8), place);
    }

    private record Rest(String text, long end) {}

    /// Takes complete lines until it has enough; `end` is the place behind the line.
    interface Reader {
        boolean next(String line, long end);
    }
}
