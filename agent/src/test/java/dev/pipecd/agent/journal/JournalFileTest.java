// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JournalFileTest {
    @TempDir Path directory;

    /// Network file systems tell at the close what they could not write.
    @Test
    void whatIsAppendedAfterAReplacementIsThereAlsoWhenTheOldFileDoesNotCloseWell()
            throws Exception {
        var path = directory.resolve("journal");
        var old =
                new BadlyClosing(
                        FileChannel.open(
                                path, StandardOpenOption.CREATE, StandardOpenOption.WRITE));
        try (var file = new JournalFile(path, old, 0)) {
            file.append(List.of(bytes("one"), bytes("two")));

            file.replace(List.of(bytes("two")));
            file.append(List.of(bytes("three")));
        }

        var found = new ArrayList<byte[]>();
        JournalFile.open(path, found).close();
        assertThat(found)
                .extracting(payload -> new String(payload, StandardCharsets.UTF_8))
                .containsExactly("two", "three");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /// A file that is as good as another until it is closed.
    private static final class BadlyClosing extends FileChannel {
        private final FileChannel real;

        BadlyClosing(FileChannel real) {
            this.real = real;
        }

        @Override
        protected void implCloseChannel() throws IOException {
            real.close();
            throw new IOException("Input/output error");
        }

        @Override
        public int read(ByteBuffer to) throws IOException {
            return real.read(to);
        }

        @Override
        public long read(ByteBuffer[] to, int offset, int length) throws IOException {
            return real.read(to, offset, length);
        }

        @Override
        public int read(ByteBuffer to, long position) throws IOException {
            return real.read(to, position);
        }

        @Override
        public int write(ByteBuffer from) throws IOException {
            return real.write(from);
        }

        @Override
        public long write(ByteBuffer[] from, int offset, int length) throws IOException {
            return real.write(from, offset, length);
        }

        @Override
        public int write(ByteBuffer from, long position) throws IOException {
            return real.write(from, position);
        }

        @Override
        public long position() throws IOException {
            return real.position();
        }

        @Override
        public FileChannel position(long position) throws IOException {
            return real.position(position);
        }

        @Override
        public long size() throws IOException {
            return real.size();
        }

        @Override
        public FileChannel truncate(long size) throws IOException {
            return real.truncate(size);
        }

        @Override
        public void force(boolean metaData) throws IOException {
            real.force(metaData);
        }

        @Override
        public long transferTo(long position, long count, WritableByteChannel to)
                throws IOException {
            return real.transferTo(position, count, to);
        }

        @Override
        public long transferFrom(ReadableByteChannel from, long position, long count)
                throws IOException {
            return real.transferFrom(from, position, count);
        }

        @Override
        public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
            return real.map(mode, position, size);
        }

        @Override
        public FileLock lock(long position, long size, boolean shared) throws IOException {
            return real.lock(position, size, shared);
        }

        @Override
        public FileLock tryLock(long position, long size, boolean shared) throws IOException {
            return real.tryLock(position, size, shared);
        }
    }
}
