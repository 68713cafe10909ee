// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.fetch;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.DigestInputStream;

/// Content that must be what its digest says, which is known at its end.
final class Verified extends FilterInputStream {
    private final DigestInputStream content;
    private final Checksum wanted;
    private final String from;

    Verified(InputStream content, Checksum wanted, String from) {
        this(Checksum.counting(content), wanted, from);
    }

    private Verified(DigestInputStream content, Checksum wanted, String from) {
        super(content);
        this.content = content;
        this.wanted = wanted;
        this.from = from;
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        var read = content.read(buffer, offset, length);
        if (read < 0) check();
        return read;
    }

    private void check() throws IOException {
        var got = Checksum.of(content);
        if (!got.equals(wanted))
            throw new IOException("%s is %s (expected: %s)".formatted(from, got, wanted));
    }
}
