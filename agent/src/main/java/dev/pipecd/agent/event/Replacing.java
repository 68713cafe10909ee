// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.event;

import dev.pipecd.config.ApplicationConfig.Replacement;
import dev.pipecd.domain.Problem;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/// Writes a value into a file as one replacement says.
final class Replacing {
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private Replacing() {}

    /// The same bytes when the value is there already. What cannot be done is a `Problem` that
    /// names the file.
    static byte[] apply(Replacement replacement, String path, byte[] content, String value) {
        try {
            var all = decoded(content);
            var mark = all.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
            var changed = changed(replacement, all.substring(mark.length()), value);
            return (mark + changed).getBytes(StandardCharsets.UTF_8);
        } catch (Problem problem) {
            throw new Problem(
                    problem.code(), path + ": " + problem.message(), problem.advice(), problem);
        }
    }

    private static String changed(Replacement replacement, String text, String value) {
        if (!replacement.yamlField().isEmpty())
            return YamlEdit.apply(text, FieldPath.parse(replacement.yamlField()), value);
        if (!replacement.jsonField().isEmpty())
            return JsonEdit.apply(text, FieldPath.parse(replacement.jsonField()), value);
        if (!replacement.regex().isEmpty())
            return RegexEdit.apply(text, replacement.regex(), value);
        if (!replacement.hclField().isEmpty())
            throw unusable("HCLField: %s".formatted(replacement.hclField()));
        throw unusable("replacement: nothing to look for");
    }

    private static Problem unusable(String what) {
        return new Problem(
                Problem.Code.CONFIG_INVALID,
                what + " (expected: yamlField, jsonField or regex)",
                "A value of an HCL file is replaced by `regex`.");
    }

    private static String decoded(byte[] content) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
        } catch (CharacterCodingException e) {
            throw new Problem(
                    Problem.Code.CONFIG_INVALID,
                    "bytes that are no text (expected: UTF-8)",
                    "Only text files are changed by events.",
                    e);
        }
    }
}
