// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

/// One thing in a document that has no effect or is surely not meant so; the document is used all
/// the same.
public record Warning(String origin, int line, int column, String path, String text) {

    public String message() {
        return path.isEmpty() ? text : path + ": " + text;
    }

    @Override
    public String toString() {
        return origin + ":" + line + ":" + column + ": " + message();
    }
}
