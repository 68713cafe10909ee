// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Supplier;

/// Is opened when it is first read, so that a hundred of them in a row hold one connection.
final class LateStream extends FilterInputStream {
    private final Supplier<InputStream> source;
    private boolean open;

    LateStream(Supplier<InputStream> source) {
        super(InputStream.nullInputStream());
        this.source = source;
    }

    @Override
    public int read() throws IOException {
        open();
        return in.read();
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        open();
        return in.read(into, offset, length);
    }

    private void open() {
        if (open) return;
        in = source.get();
        open = true;
    }
}
