// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/// Requests no honest client sends, the same ones for the same seed.
final class Mischief {
    private static final int DEEPEST = 4;
    private final Random random;
    private final List<String> texts;

    /// @param known ids of things that are there
    Mischief(long seed, List<String> known) {
        random = new Random(seed);
        texts = new java.util.ArrayList<>(known);
        texts.addAll(
                List.of(
                        "",
                        " ",
                        "a",
                        "../../etc/passwd",
                        "a/../b",
                        "\u0000",
                        "\u202e\ud83d\ude00\u0301",
                        "' OR 1=1 --",
                        "%s%n%d",
                        "<script>alert(1)</script>",
                        "-1",
                        "9".repeat(40),
                        "{\"Id\":",
                        "eyJJZCI6Im4ifQ==",
                        "x".repeat(300),
                        "y".repeat(70_000),
                        "line\r\nx-injected: 1",
                        "00000000-0000-4000-8000-000000000000"));
    }

    String text() {
        return texts.get(random.nextInt(texts.size()));
    }

    int upTo(int bound) {
        return random.nextInt(bound);
    }

    byte[] bytes(int most) {
        var bytes = new byte[random.nextInt(most + 1)];
        random.nextBytes(bytes);
        return bytes;
    }

    /// Of the right form, with any content.
    Message message(Message prototype) {
        return message(prototype, 0);
    }

    private Message message(Message prototype, int depth) {
        var builder = prototype.newBuilderForType();
        for (var field : prototype.getDescriptorForType().getFields()) {
            if (random.nextInt(5) == 0) continue;
            if (field.isRepeated())
                for (var i = random.nextInt(3); i > 0; i--)
                    builder.addRepeatedField(field, value(builder, field, depth));
            else builder.setField(field, value(builder, field, depth));
        }
        return builder.build();
    }

    private Object value(Message.Builder builder, FieldDescriptor field, int depth) {
        return switch (field.getJavaType()) {
            case STRING -> text();
            case INT -> (int) number();
            case LONG -> number();
            case BOOLEAN -> random.nextBoolean();
            case FLOAT -> Float.NaN;
            case DOUBLE -> Double.NEGATIVE_INFINITY;
            case BYTE_STRING -> ByteString.copyFrom(bytes(200));
            case ENUM -> field.getEnumType().findValueByNumberCreatingIfUnknown(upTo(12) - 2);
            case MESSAGE -> {
                var nested = builder.newBuilderForField(field).build();
                yield depth < DEEPEST ? message(nested, depth + 1) : nested;
            }
        };
    }

    private long number() {
        return switch (random.nextInt(6)) {
            case 0 -> Long.MIN_VALUE;
            case 1 -> Long.MAX_VALUE;
            case 2 -> -1;
            case 3 -> 0;
            case 4 -> random.nextInt(100);
            default -> random.nextLong();
        };
    }

    /// Of no right form at all, or only just not.
    byte[] broken(byte[] right) {
        return switch (random.nextInt(5)) {
            case 0 -> bytes(500);
            case 1 -> Arrays.copyOf(right, right.length / 2);
            case 2 -> deep();
            case 3 -> "\u00ff\u00fe not a message".getBytes(UTF_8);
            default -> flipped(right);
        };
    }

    private byte[] flipped(byte[] right) {
        var wrong = right.clone();
        for (var i = 0; i < 3 && wrong.length > 0; i++)
            wrong[random.nextInt(wrong.length)] ^= (byte) (1 << random.nextInt(8));
        return wrong;
    }

    /// Groups in groups in groups.
    private static byte[] deep() {
        var bytes = new byte[20_000];
        Arrays.fill(bytes, (byte) 0x0b);
        return bytes;
    }

    /// What could be written to a port by anybody who found it open.
    byte[] onTheWire() {
        return switch (random.nextInt(9)) {
            case 0 -> bytes(2_000);
            case 1 -> "GET / HTTP/1.1\r\nHost: x\r\nCookie: token\r\n\r\n".getBytes(UTF_8);
            case 2 -> ("GET /" + "a".repeat(20_000) + " HTTP/1.1\r\n\r\n").getBytes(UTF_8);
            case 3 -> ("GET / HTTP/1.1\r\n" + "x-h: v\r\n".repeat(5_000) + "\r\n").getBytes(UTF_8);
            case 4 ->
                    ("POST /auth/login HTTP/1.1\r\nTransfer-Encoding: chunked\r\n"
                                    + "Content-Length: 5\r\n\r\nFFFFFFFFFFFF\r\nx")
                            .getBytes(UTF_8);
            case 5 -> framed(bytes(500));
            case 6 -> framed(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0, -1, -1, -1, 9, 9});
            case 7 -> new byte[] {0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, (byte) 0xfc};
            default -> "PUT \u0000 HTTP/9.9\r\n\n\n\n".getBytes(UTF_8);
        };
    }

    /// Behind the words with which HTTP/2 begins.
    private static byte[] framed(byte[] frames) {
        var start = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(UTF_8);
        var both = Arrays.copyOf(start, start.length + frames.length);
        System.arraycopy(frames, 0, both, start.length, frames.length);
        return both;
    }

    String cookie(String session) {
        return switch (random.nextInt(8)) {
            case 0 -> "token";
            case 1 -> "=;=;;;token=;";
            case 2 -> "token=a.b.c; state";
            case 3 -> "token=eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.";
            case 4 -> "token=" + "A".repeat(6_000);
            case 5 -> session + "x";
            case 6 -> session.replace("token=", "token=\"") + "\"; \"";
            default -> "state=" + "%00".repeat(100) + "; token=%";
        };
    }
}
