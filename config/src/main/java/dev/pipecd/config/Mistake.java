// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

/// One thing in a document that must be changed before it can be used. Lines and columns count from
/// 1; the path is empty for the document as a whole.
public record Mistake(String origin, int line, int column, String path, String text) {

    /// The form `name: value (expected: …)`, where the name is the path.
    public String message() {
        return path.isEmpty() ? text : path + ": " + text;
    }

    @Override
    public String toString() {
        return origin + ":" + line + ":" + column + ": " + message();
    }
}
