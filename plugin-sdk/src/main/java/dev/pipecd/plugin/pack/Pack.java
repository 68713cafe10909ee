// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.pack;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/// One executable file of a class path: a shell script that finds a Java 25 and starts it on the
/// jar that follows the script's last line.
///
/// `java -cp CLASS_PATH dev.pipecd.plugin.pack.Pack MAIN_CLASS FILE` packs its own class path.
public final class Pack {
    private static final String SERVICES = "META-INF/services/";

    private final Map<String, byte[]> entries = new LinkedHashMap<>();

    private Pack() {}

    public static void main(String[] args) throws IOException {
        if (args.length != 2) {
            System.err.println(
                    "Usage: java -cp CLASS_PATH dev.pipecd.plugin.pack.Pack MAIN_CLASS FILE");
            System.exit(2);
        }
        var parts =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .map(Path::of)
                        .toList();
        write(parts, args[0], Path.of(args[1]));
        System.out.println("Packed " + args[1]);
    }

    /// @param parts jars and folders of classes; of two equal names the first counts
    public static void write(List<Path> parts, String mainClass, Path file) throws IOException {
        var pack = new Pack();
        for (var part : parts) pack.add(part);
        var classFile = mainClass.replace('.', '/') + ".class";
        if (!pack.entries.containsKey(classFile))
            throw new IOException("main class: " + mainClass + " (expected: on the class path)");
        var whole = file.toAbsolutePath();
        var half = whole.resolveSibling(whole.getFileName() + ".part");
        try (var out = new BufferedOutputStream(Files.newOutputStream(half))) {
            out.write(header(mainClass));
            pack.write(out);
        }
        Files.setPosixFilePermissions(half, PosixFilePermissions.fromString("rwxr-xr-x"));
        // Whoever starts the file meanwhile gets the old one or the new one, never half of it.
        Files.move(half, whole, StandardCopyOption.ATOMIC_MOVE);
    }

    private static byte[] header(String mainClass) throws IOException {
        try (var script = Pack.class.getResourceAsStream("header.sh")) {
            if (script == null) throw new IOException("header.sh is missing");
            var text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
            return text.replace("@MAIN_CLASS@", mainClass).getBytes(StandardCharsets.UTF_8);
        }
    }

    private void add(Path part) throws IOException {
        if (Files.isDirectory(part)) addFolder(part);
        else if (Files.isRegularFile(part)) addJar(part);
    }

    private void addFolder(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            files.filter(Files::isRegularFile)
                    .sorted()
                    .forEach(file -> {
                        try {
                            var name = folder.relativize(file).toString();
                            add(name.replace(File.separatorChar, '/'), Files.readAllBytes(file));
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void addJar(Path file) throws IOException {
        try (var jar = new JarFile(file.toFile(), false)) {
            for (var entry : jar.stream().filter(each -> !each.isDirectory()).toList())
                try (var content = jar.getInputStream(entry)) {
                    add(entry.getName(), content.readAllBytes());
                }
        }
    }

    private void add(String name, byte[] content) {
        if (leftOut(name)) return;
        if (name.startsWith(SERVICES)) entries.merge(name, content, Pack::joined);
        else entries.putIfAbsent(name, content);
    }

    /// Signatures do not fit any more, modules are one class path now, and of gRPC's native code
    /// none is needed for plain connections on one machine.
    private static boolean leftOut(String name) {
        return name.equals("META-INF/MANIFEST.MF")
                || name.endsWith("module-info.class")
                || name.matches("META-INF/[^/]*\\.(SF|RSA|DSA|EC)")
                || name.equals("META-INF/INDEX.LIST")
                || name.startsWith("META-INF/maven/")
                || name.matches("META-INF/native/.*grpc_netty_shaded.*");
    }

    private static byte[] joined(byte[] before, byte[] after) {
        var text =
                new String(before, StandardCharsets.UTF_8).stripTrailing()
                        + "\n"
                        + new String(after, StandardCharsets.UTF_8);
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void write(OutputStream out) throws IOException {
        var zip = new ZipOutputStream(out);
        zip.setLevel(Deflater.BEST_SPEED);
        put(
                zip,
                "META-INF/MANIFEST.MF",
                "Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n"
                        .getBytes(StandardCharsets.UTF_8));
        for (var entry : entries.entrySet()) put(zip, entry.getKey(), entry.getValue());
        zip.finish();
    }

    private static void put(ZipOutputStream zip, String name, byte[] content) throws IOException {
        var entry = new ZipEntry(name);
        // Equal classes make an equal file: agents know programs by their checksum.
        entry.setTimeLocal(java.time.LocalDateTime.of(2026, 1, 1, 0, 0));
        zip.putNextEntry(entry);
        zip.write(content);
        zip.closeEntry();
    }
}
