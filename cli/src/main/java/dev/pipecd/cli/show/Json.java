// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.show;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.util.JsonFormat;
import java.util.List;
import java.util.stream.Collectors;

/// Messages as JSON for programs: fields that hold their default are there too, so that a script
/// need not guess.
public final class Json {
    private static final JsonFormat.Printer PRINTER =
            JsonFormat.printer().alwaysPrintFieldsWithNoPresence().sortingMapKeys();

    private Json() {}

    public static String of(MessageOrBuilder message) {
        try {
            return PRINTER.print(message);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(
                    "only messages with Any fields cannot be printed, and there are none", e);
        }
    }

    public static String of(List<? extends MessageOrBuilder> messages) {
        return messages.stream().map(Json::of).collect(Collectors.joining(",\n", "[", "]"));
    }
}
