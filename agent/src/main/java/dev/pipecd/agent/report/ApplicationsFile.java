// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import dev.pipecd.agent.source.disk.Folder;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.piped.ListApplicationsResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The applications on disk, in the form of the control plane's answer. A change is added at the
/// end, where it wins over what was written before; now and then all is written anew.
final class ApplicationsFile {
    private static final Logger log = LoggerFactory.getLogger(ApplicationsFile.class);
    private static final int FEWEST_ADDED = 1_000;
    private static final int TAG =
            ListApplicationsResponse.APPLICATIONS_FIELD_NUMBER << 3
                    | WireFormat.WIRETYPE_LENGTH_DELIMITED;
    private static final int ID_TAG =
            Application.ID_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;

    private final Path file;
    private int written;
    private int added;

    /// A file that ends in the middle of something must not be added to.
    private boolean whole;

    ApplicationsFile(Path file) {
        this.file = file;
    }

    /// Hands over what is there, in order: what comes later wins.
    void read(Consumer<byte[]> each) {
        if (!Files.exists(file)) return;
        try (var in = Files.newInputStream(file)) {
            eachDocument(
                    in,
                    document -> {
                        each.accept(document);
                        written++;
                    });
            whole = true;
        } catch (IOException | IllegalArgumentException e) {
            log.warn(
                    "{} cannot be read to its end; the control plane will tell the applications"
                            + " again",
                    file,
                    e);
        }
    }

    /// Not waited for: what a power cut takes is told again by the control plane, except what is
    /// followed by `force`.
    void add(List<byte[]> documents, Supplier<Iterable<byte[]>> all) {
        if (documents.isEmpty() && whole) return;
        if (!whole || added + documents.size() > Math.max(FEWEST_ADDED, written)) {
            write(all.get());
            return;
        }
        try (var out =
                Files.newOutputStream(file, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            write(documents, out);
            added += documents.size();
        } catch (IOException e) {
            whole = false;
            unwritable(e);
        }
    }

    void write(Iterable<byte[]> all) {
        var fresh = file.resolveSibling(file.getFileName() + ".new");
        try {
            try (var channel =
                            FileChannel.open(
                                    fresh,
                                    StandardOpenOption.CREATE,
                                    StandardOpenOption.TRUNCATE_EXISTING,
                                    StandardOpenOption.WRITE);
                    var out = Channels.newOutputStream(channel)) {
                written = write(all, out);
                channel.force(true);
            }
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
            Folder.sync(file.toAbsolutePath().getParent());
            added = 0;
            whole = true;
        } catch (IOException e) {
            whole = false;
            unwritable(e);
        }
    }

    /// Comes back when what was added is on the disk.
    void force() {
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(false);
        } catch (IOException e) {
            unwritable(e);
        }
    }

    private static int write(Iterable<byte[]> documents, OutputStream to) throws IOException {
        var out = CodedOutputStream.newInstance(to, 64 << 10);
        var count = 0;
        for (var document : documents) {
            out.writeByteArray(ListApplicationsResponse.APPLICATIONS_FIELD_NUMBER, document);
            count++;
        }
        out.flush();
        return count;
    }

    private void unwritable(IOException e) {
        log.warn(
                "{} cannot be written; a restart without the control plane would know less",
                file,
                e);
    }

    /// The applications of an answer one by one: all at once, decoded, they would fill the heap.
    static List<byte[]> documents(InputStream answer) throws IOException {
        var documents = new ArrayList<byte[]>();
        eachDocument(answer, documents::add);
        return documents;
    }

    private static void eachDocument(InputStream from, Consumer<byte[]> each) throws IOException {
        var in = CodedInputStream.newInstance(from, 64 << 10);
        in.setSizeLimit(Integer.MAX_VALUE);
        for (var tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (tag == TAG) each.accept(in.readByteArray());
            else if (!in.skipField(tag)) return;
        }
    }

    /// It stands at the front; elsewhere it is looked for.
    static ApplicationId id(byte[] document) {
        try {
            var in = CodedInputStream.newInstance(document);
            for (var tag = in.readTag(); tag != 0; tag = in.readTag()) {
                if (tag == ID_TAG) return new ApplicationId(in.readStringRequireUtf8());
                in.skipField(tag);
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("not an application", e);
        }
        return new ApplicationId("");
    }

    /// Tells two documents apart; never 0.
    static long digest(byte[] document) {
        var hash = 0xcbf29ce484222325L;
        for (var b : document) hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
        return hash == 0 ? 1 : hash;
    }
}
