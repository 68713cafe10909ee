// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.lint;

import com.google.gson.GsonBuilder;
import java.util.List;

/// One thing to tell about a file: a mistake that makes it useless, or a warning.
record Finding(String file, int line, int column, String path, String severity, String message) {
    private static final String MISTAKE = "error";

    static Finding mistake(String file, int line, int column, String path, String message) {
        return new Finding(file, line, column, path, MISTAKE, message);
    }

    static Finding warning(String file, int line, int column, String path, String message) {
        return new Finding(file, line, column, path, "warning", message);
    }

    boolean mistake() {
        return severity.equals(MISTAKE);
    }

    static String json(List<Finding> findings) {
        return new GsonBuilder()
                .setPrettyPrinting()
                .disableHtmlEscaping()
                .create()
                .toJson(findings);
    }

    /// The form that editors and CI systems find their way by.
    @Override
    public String toString() {
        return "%s:%d:%d: %s: %s".formatted(file, line, column, severity, message);
    }
}
