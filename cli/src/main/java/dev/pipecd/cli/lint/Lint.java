// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.lint;

import dev.pipecd.config.ConfigException;
import dev.pipecd.config.Loaded;
import dev.pipecd.config.Unreadable;
import dev.pipecd.config.Warning;
import dev.pipecd.config.read.Documents;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Reads a file as the program would that it is meant for.
final class Lint {
    private static final long LARGEST = 8 << 20;
    private static final Pattern KIND =
            Pattern.compile("^[\"']?kind[\"']?\\s*:\\s*[\"']?(\\w+)", Pattern.MULTILINE);

    private Lint() {}

    static List<Finding> of(Path file) {
        var name = file.toString();
        try {
            if (Files.size(file) > LARGEST)
                return whole(name, "more than 8 MiB (expected: a configuration file)");
            return warnings(loaded(name, Files.readAllBytes(file)).warnings()).toList();
        } catch (ConfigException e) {
            return Stream.concat(mistakes(e), warnings(e.warnings())).toList();
        } catch (Problem e) {
            return whole(name, e.told());
        } catch (IOException e) {
            return whole(name, "cannot be read (expected: a file): " + Unreadable.because(e));
        }
    }

    /// What is of no known kind is read as an application, whose reader then tells the kinds there
    /// are.
    private static Loaded<?> loaded(String name, byte[] content) {
        var kind = KIND.matcher(new String(content, StandardCharsets.UTF_8));
        return switch (kind.find() ? kind.group(1) : "") {
            case "ControlPlane" -> Documents.controlPlane(name, content);
            case "Piped" -> Documents.piped(name, content);
            default -> Documents.applicationWithOptions(name, content);
        };
    }

    private static Stream<Finding> mistakes(ConfigException refused) {
        return refused.mistakes().stream()
                .map(each ->
                        Finding.mistake(
                                each.origin(),
                                each.line(),
                                each.column(),
                                each.path(),
                                each.message()));
    }

    private static Stream<Finding> warnings(List<Warning> warnings) {
        return warnings.stream()
                .map(each ->
                        Finding.warning(
                                each.origin(),
                                each.line(),
                                each.column(),
                                each.path(),
                                each.message()));
    }

    private static List<Finding> whole(String name, String message) {
        return List.of(Finding.mistake(name, 1, 1, "", message));
    }
}
