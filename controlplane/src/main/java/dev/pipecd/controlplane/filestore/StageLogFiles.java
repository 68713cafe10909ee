// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.wire.model.LogBlock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/// Stage logs on the local disk: each is one file that grows.
public final class StageLogFiles implements StageLogStore {
    private static final int MOST_OPEN = 512;

    private final LocalFiles files;
    private final LinkedHashMap<FilePath, StageLogFile> open = new LinkedHashMap<>(16, 0.75f, true);

    public StageLogFiles(LocalFiles files) {
        this.files = files;
    }

    @Override
    public boolean append(FilePath path, List<LogBlock> blocks, boolean completed) {
        return using(path, file -> file.append(blocks, completed));
    }

    @Override
    public Optional<Part> read(FilePath path, long from) {
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
            if (file != null && file.isOpen()) {
                if (java.nio.file.Files.exists(files.resolve(path))) return file;
                synchronized (file) {
                    file.close(); // deleted meanwhile: what is written there would be gone
                }
            }
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
