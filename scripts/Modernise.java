// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/// `Modernise IN OUT`: the same classes with the stack maps that Java 5 did not have. A start-up cache refuses classes
/// without them, and verifying them anew at each start takes longer than all the rest of `pipectl --help`.
void main(String[] args) throws IOException {
    var in = Path.of(args[0]);
    var classes = ClassHierarchyResolver.ofResourceParsing(new URLClassLoader(new URL[] {in.toUri().toURL()}));
    var tool =
            ClassFile.of(
                    ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
                    ClassFile.ConstantPoolSharingOption.NEW_POOL,
                    ClassFile.ClassHierarchyResolverOption.of(ClassHierarchyResolver.defaultResolver().orElse(classes)));
    var newer =
            ClassTransform.transformingMethodBodies((code, element) -> code.with(element))
                    .andThen((type, element) -> type.with(element instanceof ClassFileVersion ? ClassFileVersion.of(65, 0) : element));
    try (var from = new ZipInputStream(Files.newInputStream(in));
            var to = new ZipOutputStream(Files.newOutputStream(Path.of(args[1])))) {
        for (var entry = from.getNextEntry(); entry != null; entry = from.getNextEntry()) {
            var bytes = from.readAllBytes();
            var old = entry.getName().endsWith(".class") && !entry.getName().endsWith("module-info.class");
            // A fixed date: equal input gives an equal jar.
            var copy = new ZipEntry(entry.getName());
            copy.setTime(0);
            to.putNextEntry(copy);
            to.write(old ? tool.transformClass(tool.parse(bytes), newer) : bytes);
            to.closeEntry();
        }
    }
}
