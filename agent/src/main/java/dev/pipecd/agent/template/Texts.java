// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.template;

import java.nio.charset.StandardCharsets;

/// Between texts as people read them and texts of one character a byte.
final class Texts {
    private static final int LONGEST_SHOWN = 60;

    private Texts() {}

    static String bytes(String text) {
        return bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    static String bytes(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    static String shown(String bytes) {
        var text =
                new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8)
                        .replaceAll("\\p{Cntrl}", "?");
        return text.length() <= LONGEST_SHOWN ? text : text.substring(0, LONGEST_SHOWN) + "…";
    }
}
