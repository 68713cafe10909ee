// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.fetch;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// Tells now and then how much has come, and takes no more than a program can be large.
final class Progress extends FilterInputStream {
    private static final long TOLD_EVERY = 2_000_000_000L;
    private static final long LARGEST = 1L << 30;

    private final String from;
    private final long size;
    private final Consumer<String> telling;
    private final LongSupplier nanos;
    private long told;
    private long come;

    /// @param size what was announced; negative when nothing was
    Progress(InputStream content, String from, long size, Consumer<String> telling) {
        this(content, from, size, telling, System::nanoTime);
    }

    Progress(
            InputStream content,
            String from,
            long size,
            Consumer<String> telling,
            LongSupplier nanos) {
        super(content);
        this.from = from;
        this.size = size;
        this.telling = telling;
        this.nanos = nanos;
        this.told = nanos.getAsLong();
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        var read = super.read(buffer, offset, length);
        if (read > 0) come += read;
        if (come > LARGEST)
            throw new IOException("%s: more than 1 GiB (expected: a program)".formatted(from));
        if (read < 0 && size >= 0 && come != size)
            throw new IOException("%s: %d bytes came (expected: %d)".formatted(from, come, size));
        if (nanos.getAsLong() - told > TOLD_EVERY) {
            told = nanos.getAsLong();
            telling.accept("is being fetched from %s: %s".formatted(from, counted()));
        }
        return read;
    }

    private String counted() {
        return size > 0
                ? String.format(Locale.ROOT, "%.1f of %.1f MB", come / 1e6, size / 1e6)
                : String.format(Locale.ROOT, "%.1f MB", come / 1e6);
    }
}
