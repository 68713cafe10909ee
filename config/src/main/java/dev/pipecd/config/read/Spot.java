// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import dev.pipecd.config.read.Fields.Rules;
import dev.pipecd.config.read.Tree.Place;

/// Where a value stands; where the object begins that should hold it, when it is missing.
record Spot(Findings findings, Rules rules, String path, Place place) {

    /// A part of the value here.
    Spot inside(Tree part, String deeper) {
        return new Spot(findings, rules, path + deeper, part.place());
    }

    void asked(String type, Object... details) {
        findings.asked(path, type, details);
    }

    void mistake(String text) {
        findings.mistake(place, path, text);
    }

    void warn(String text) {
        findings.warning(place, path, text);
    }

    void wrong(Tree tree, String expected) {
        mistake("%s (expected: %s)".formatted(Telling.value(tree), expected));
    }

    /// Empty when it is no text, which is then told. Numbers and booleans are no texts, as in the
    /// public system.
    String text(Tree tree) {
        if (tree.isText()) return tree.json().textValue();
        wrong(
                tree,
                switch (tree.json().getNodeType()) {
                    case BOOLEAN -> "text; put it in quotes, YAML takes it for " + tree.json();
                    case NUMBER -> "text; put it in quotes";
                    default -> "text";
                });
        return "";
    }
}
