// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.lang.model.element.Modifier;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/// The Java files below a folder, parsed: sizes and first lines, which class files no longer tell.
record Sources(List<Path> files) {
    private static final String LICENCE = "// SPDX-License-Identifier: Apache-2.0";

    /// What nobody wrote here, and takes longer to walk through than all the rest.
    private static final Set<String> MADE = Set.of("target", "build", "node_modules", ".git");

    private static final int FILE_LINES = 400;
    private static final int METHOD_LINES = 60;
    private static final int ARGUMENTS = 7;
    private static final int PACKAGE_TYPES = 25;

    /// Tests may be as long as their tables; the limits are for what people have to understand.
    static Sources production(Path folder) throws IOException {
        return new Sources(
                below(folder).files.stream()
                        .filter(f -> f.toString().contains("/src/main/"))
                        .toList());
    }

    static Sources below(Path folder) throws IOException {
        var found = new ArrayList<Path>();
        Files.walkFileTree(
                folder,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(Path at, BasicFileAttributes seen) {
                        return MADE.contains(at.getFileName().toString())
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes seen) {
                        if (file.toString().endsWith(".java") && file.toString().contains("/src/"))
                            found.add(file);
                        return FileVisitResult.CONTINUE;
                    }
                });
        return new Sources(found.stream().sorted().toList());
    }

    /// Those of one folder, wherever it is.
    static Sources in(Path folder) throws IOException {
        try (var listed = Files.list(folder)) {
            return new Sources(
                    listed.filter(f -> f.toString().endsWith(".java")).sorted().toList());
        }
    }

    /// What the compiler has against them, with all that tests see.
    List<String> mistakes(Path classes) throws IOException {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var found = new DiagnosticCollector<JavaFileObject>();
        var options =
                List.of(
                        "-proc:none",
                        "-d",
                        classes.toString(),
                        "-cp",
                        System.getProperty("java.class.path"));
        try (var manager = compiler.getStandardFileManager(null, null, null)) {
            var units = manager.getJavaFileObjectsFromPaths(files);
            var _ = compiler.getTask(null, manager, found, options, null, units).call();
        }
        return found.getDiagnostics().stream()
                .filter(mistake -> mistake.getKind() == Diagnostic.Kind.ERROR)
                .map(mistake -> mistake.getMessage(Locale.ENGLISH) + " (" + place(mistake) + ")")
                .toList();
    }

    private static String place(Diagnostic<? extends JavaFileObject> mistake) {
        var file = mistake.getSource();
        return file == null
                ? ""
                : Path.of(file.toUri()).getFileName() + ":" + mistake.getLineNumber();
    }

    List<String> withoutLicence() throws IOException {
        var breaches = new ArrayList<String>();
        for (var file : files) {
            try (var lines = Files.lines(file)) {
                if (!lines.findFirst().orElse("").equals(LICENCE))
                    breaches.add(file + ": first line (expected: " + LICENCE + ")");
            }
        }
        return breaches;
    }

    List<String> tooLongFiles() throws IOException {
        var breaches = new ArrayList<String>();
        for (var file : files) {
            try (var lines = Files.lines(file)) {
                var count = lines.count();
                if (count > FILE_LINES) breaches.add(tooMuch(file, "", "lines", count, FILE_LINES));
            }
        }
        return breaches;
    }

    List<String> tooFullPackages() {
        Map<Path, Long> types =
                files.stream()
                        .filter(f -> !f.endsWith("package-info.java"))
                        .collect(
                                Collectors.groupingBy(
                                        Sources::folder, TreeMap::new, Collectors.counting()));
        return types.entrySet().stream()
                .filter(e -> e.getValue() > PACKAGE_TYPES)
                .map(e -> tooMuch(e.getKey(), "", "types", e.getValue(), PACKAGE_TYPES))
                .toList();
    }

    List<String> tooLongMethods() throws IOException {
        return scan((file, positions) ->
                new Finder(file) {
                    @Override
                    public @Nullable Void visitMethod(MethodTree method, Void nothing) {
                        var lines = file.getLineMap();
                        var first = lines.getLineNumber(positions.getStartPosition(file, method));
                        var last = lines.getLineNumber(positions.getEndPosition(file, method));
                        found(method.getName(), "lines", last - first + 1, METHOD_LINES);
                        return super.visitMethod(method, nothing);
                    }
                });
    }

    List<String> tooManyArguments() throws IOException {
        return scan((file, _) ->
                new Finder(file) {
                    @Override
                    public @Nullable Void visitMethod(MethodTree method, Void nothing) {
                        var count = method.getParameters().size();
                        found(method.getName(), "arguments", count, ARGUMENTS);
                        return super.visitMethod(method, nothing);
                    }

                    @Override
                    public @Nullable Void visitClass(ClassTree type, Void nothing) {
                        if (type.getKind() == Tree.Kind.RECORD)
                            found(type.getSimpleName(), "arguments", components(type), ARGUMENTS);
                        return super.visitClass(type, nothing);
                    }
                });
    }

    private List<String> scan(FinderOf finderOf) throws IOException {
        var compiler = ToolProvider.getSystemJavaCompiler();
        try (var manager = compiler.getStandardFileManager(null, null, null)) {
            var units = manager.getJavaFileObjectsFromPaths(files);
            var task = (JavacTask) compiler.getTask(null, manager, null, null, null, units);
            var positions = Trees.instance(task).getSourcePositions();
            var breaches = new ArrayList<String>();
            for (var file : task.parse()) {
                var finder = finderOf.open(file, positions);
                finder.scan(file, null);
                breaches.addAll(finder.breaches);
            }
            return breaches;
        }
    }

    private static long components(ClassTree type) {
        return type.getMembers().stream()
                .filter(VariableTree.class::isInstance)
                .map(VariableTree.class::cast)
                .filter(field -> !field.getModifiers().getFlags().contains(Modifier.STATIC))
                .count();
    }

    private static Path folder(Path file) {
        return file.toAbsolutePath().normalize().resolveSibling("");
    }

    private static String tooMuch(
            Path where, CharSequence what, String unit, long count, int most) {
        var name = what.isEmpty() ? where.toString() : where + " " + what;
        return "%s: %d %s (expected: at most %d)".formatted(name, count, unit, most);
    }

    private interface FinderOf {
        Finder open(CompilationUnitTree file, SourcePositions positions);
    }

    private abstract static class Finder extends TreeScanner<@Nullable Void, @Nullable Void> {
        private final List<String> breaches = new ArrayList<>();
        private final Path path;

        Finder(CompilationUnitTree file) {
            this.path = Path.of(file.getSourceFile().toUri());
        }

        void found(CharSequence name, String unit, long count, int most) {
            if (count > most) breaches.add(tooMuch(path, name, unit, count, most));
        }
    }
}
