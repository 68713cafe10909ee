// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.wire.model.LogBlock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/// Stage logs in the public form: one block a line, `EOL` behind the last. Appended and flushed
/// before the caller is told; a block that is already there is not written again.
public final class StageLogFiles implements AutoCloseable {
    private static final int MOST_OPEN = 512;

    private final LocalFiles files;
    private final LinkedHashMap<FilePath, StageLogFile> open = new LinkedHashMap<>(16, 0.75f, true);

    public StageLogFiles(LocalFiles files) {
        this.files = files;
    }

    public static FilePath path(String deployment, String stage, int retried) {
        return FilePath.of("log", deployment, stage, retried + ".txt");
    }

    /// Whether the blocks (and the end) stand in the file now; false when it had ended without
    /// them.
    public boolean append(FilePath path, List<LogBlock> blocks, boolean completed) {
        return using(path, file -> file.append(blocks, completed));
    }

    /// Blocks of index `from` and above, in order; empty when there is no such log.
    public Optional<StageLogFile.Part> read(FilePath path, long from) {
        if (!java.nio.file.Files.exists(files.resolve(path))) return Optional.empty();
        return Optional.of(using(path, file -> file.read(from)));
    }

    private <R> R using(FilePath path, Use<R> use) {
        try {
            while (true) {
                var file = opened(path);
                synchronized (file) {
                    if (file.isOpen()) return use.of(file);
                } // closed to make room while we were coming: open it again
            }
        } catch (IOException e) {
            throw new UncheckedIOException("stage log " + path, e);
        }
    }

    private StageLogFile opened(FilePath path) throws IOException {
        synchronized (open) {
            var file = open.get(path);
            if (file != null && file.isOpen()) return file;
            if (open.size() >= MOST_OPEN) closeOne();
            var fresh = new StageLogFile(files.resolve(path));
            open.put(path, fresh);
            return fresh;
        }
    }

    private void closeOne() throws IOException {
        var eldest = open.pollFirstEntry();
        if (eldest != null) eldest.getValue().close();
    }

    @Override
    public void close() {
        synchronized (open) {
            try {
                while (!open.isEmpty()) closeOne();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private interface Use<R> {
        R of(StageLogFile file) throws IOException;
    }
}
