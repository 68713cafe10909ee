// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.ConstantInstruction.LoadConstantInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Gatherers;
import java.util.stream.Stream;

/// What only the class files of the readers tell: the lines of [Keys], in the order they are
/// written, and the names of all keys that are read at all.
final class ReaderClasses {
    private static final String FIELDS = Fields.class.getName().replace('.', '/');

    private ReaderClasses() {}

    /// Whoever reads keys, but for the door itself: what it reads is the same in all documents.
    static Set<String> all() throws IOException {
        var folder = Path.of("target/classes", FIELDS).resolveSibling("");
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString().replaceFirst("\\.class$", ""))
                    .filter(name -> !name.equals(Documents.class.getSimpleName()))
                    .filter(name -> !keys(name).isEmpty())
                    .collect(Collectors.toSet());
        }
    }

    static List<KeyRow> rows(String reader) {
        return parsed(reader).methods().stream()
                .flatMap(method ->
                        method.findAttribute(Attributes.runtimeInvisibleAnnotations()).stream())
                .flatMap(all -> all.annotations().stream())
                .filter(one -> one.className().equalsString(Keys.class.descriptorString()))
                .map(one -> (AnnotationValue.OfString) one.elements().getFirst().value())
                .flatMap(text -> text.stringValue().lines())
                .map(KeyRow::parse)
                .toList();
    }

    static List<String> keys(String reader) {
        return parsed(reader).methods().stream().flatMap(ReaderClasses::keys).distinct().toList();
    }

    private static Stream<String> keys(MethodModel method) {
        return method.code().stream()
                .flatMap(code -> code.elementStream())
                .filter(element ->
                        element instanceof LoadConstantInstruction
                                || element instanceof InvokeInstruction)
                .gather(Gatherers.windowSliding(2))
                .filter(pair -> isReading(pair.getLast()))
                .filter(pair -> pair.getFirst() instanceof LoadConstantInstruction)
                .map(pair -> (LoadConstantInstruction) pair.getFirst())
                .map(name -> name.constantValue().toString());
    }

    private static boolean isReading(CodeElement element) {
        return element instanceof InvokeInstruction call
                && call.owner().name().equalsString(FIELDS)
                && call.name().equalsString("at");
    }

    private static ClassModel parsed(String name) {
        try (var file = Fields.class.getResourceAsStream(name + ".class")) {
            if (file == null) throw new AssertionError("no class " + name);
            return ClassFile.of().parse(file.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
