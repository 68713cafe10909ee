// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.index;

import dev.pipecd.domain.ApplicationId;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// An index on disk, so that a restart need not read 50,000 files again. It may be older than the
/// last look, as the next one compares from the head it names; it may be lost, and is then made
/// again.
record IndexFile(Path file, String version) {
    private static final Logger log = LoggerFactory.getLogger(IndexFile.class);
    private static final int LONGEST_LIST = 10_000;
    private static final String END = "end";

    /// Answers the head that all it hands over was compared with; nothing if it is of another
    /// version of the agent, or not whole.
    Optional<String> read(BiConsumer<ApplicationId, PathIndex.Reach> each) {
        if (!Files.exists(file)) return Optional.empty();
        try (var in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            if (!in.readUTF().equals(version)) return Optional.empty();
            var head = in.readUTF();
            var found = new ArrayList<Map.Entry<ApplicationId, PathIndex.Reach>>();
            for (var left = in.readInt(); left > 0; left--)
                found.add(Map.entry(new ApplicationId(in.readUTF()), reach(in)));
            if (!in.readUTF().equals(END)) return Optional.empty();
            found.forEach(one -> each.accept(one.getKey(), one.getValue()));
            return Optional.of(head);
        } catch (IOException | IllegalArgumentException e) {
            log.info("{} cannot be read and is made again: {}", file, e.toString());
            return Optional.empty();
        }
    }

    /// Not waited for to reach the disk: what is not whole is not believed.
    void write(String head, Map<ApplicationId, PathIndex.Reach> reaches) {
        var fresh = file.resolveSibling(file.getFileName() + ".new");
        try {
            try (var out =
                    new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(fresh)))) {
                out.writeUTF(version);
                out.writeUTF(head);
                out.writeInt(reaches.size());
                for (var one : reaches.entrySet()) {
                    out.writeUTF(one.getKey().value());
                    write(one.getValue(), out);
                }
                out.writeUTF(END);
            }
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            log.info("{} cannot be written; a restart would take longer: {}", file, e.toString());
        }
    }

    private static void write(PathIndex.Reach reach, DataOutputStream out) throws IOException {
        out.writeUTF(reach.file());
        out.writeUTF(reach.deployed());
        write(reach.places(), out);
        write(reach.patterns(), out);
    }

    private static void write(List<String> texts, DataOutputStream out) throws IOException {
        out.writeInt(texts.size());
        for (var text : texts) out.writeUTF(text);
    }

    private static PathIndex.Reach reach(DataInputStream in) throws IOException {
        return new PathIndex.Reach(in.readUTF(), in.readUTF(), texts(in), texts(in));
    }

    private static List<String> texts(DataInputStream in) throws IOException {
        var count = in.readInt();
        if (count < 0 || count > LONGEST_LIST) throw new IOException("a list of " + count);
        var texts = new ArrayList<String>();
        for (var left = count; left > 0; left--) texts.add(in.readUTF());
        return texts;
    }
}
