// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;
import java.util.regex.Pattern;

/// Ids as the public schema keeps them: the 16 bytes of a UUID with its time parts swapped to the
/// front; what is no UUID is hashed into one.
final class RowId {
    private static final Pattern UUID_TEXT =
            Pattern.compile(
                    "\\{?([0-9a-fA-F]{8})-?([0-9a-fA-F]{4})-?([0-9a-fA-F]{4})"
                            + "-?([0-9a-fA-F]{4})-?([0-9a-fA-F]{12})\\}?");
    private static final UUID OBJECT_IDS = UUID.fromString("6ba7b812-9dad-11d1-80b4-00c04fd430c8");

    private RowId() {}

    static byte[] of(String id) {
        var parts = UUID_TEXT.matcher(id);
        if (!parts.matches()) return swapped(hashed(id));
        return HexFormat.of()
                .parseHex(
                        parts.group(3)
                                + parts.group(2)
                                + parts.group(1)
                                + parts.group(4)
                                + parts.group(5));
    }

    private static byte[] swapped(byte[] uuid) {
        var from = ByteBuffer.wrap(uuid);
        var low = from.getInt();
        var middle = from.getShort();
        var high = from.getShort();
        return ByteBuffer.allocate(16)
                .putShort(high)
                .putShort(middle)
                .putInt(low)
                .putLong(from.getLong())
                .array();
    }

    /// A UUID of version 5 in the name space of object ids.
    private static byte[] hashed(String id) {
        try {
            var sha1 = MessageDigest.getInstance("SHA-1");
            sha1.update(
                    ByteBuffer.allocate(16)
                            .putLong(OBJECT_IDS.getMostSignificantBits())
                            .putLong(OBJECT_IDS.getLeastSignificantBits())
                            .flip());
            sha1.update(id.getBytes(StandardCharsets.UTF_8));
            var uuid = ByteBuffer.allocate(16).put(sha1.digest(), 0, 16).array();
            uuid[6] = (byte) ((uuid[6] & 0x0f) | 0x50);
            uuid[8] = (byte) ((uuid[8] & 0x3f) | 0x80);
            return uuid;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }
}
