// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.event;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/// What events of one kind have in common: name and labels, hashed as agents hash them too.
final class EventKey {
    private static final Comparator<String> AS_AGENTS_SORT =
            (a, b) -> Arrays.compareUnsigned(a.getBytes(UTF_8), b.getBytes(UTF_8));

    private EventKey() {}

    static String of(String name, Map<String, String> labels) {
        var sorted = new TreeMap<String, String>(AS_AGENTS_SORT);
        sorted.putAll(labels);
        var text = new StringBuilder(name);
        sorted.forEach((key, value) -> text.append('/').append(key).append(':').append(value));
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.toString().getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
    }
}
