// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.show;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import dev.pipecd.wire.json.GoForm;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;

/// Messages for programs: as the public command line prints them, or with all their fields and the
/// names of what is a number there.
public final class Json {
    private static final GoForm<JsonElement> PUBLIC = new GoForm<>(new GsonNodes());
    private static final Gson WRITER = new GsonBuilder().disableHtmlEscaping().create();
    private static final JsonFormat.Printer NAMES =
            JsonFormat.printer()
                    .alwaysPrintFieldsWithNoPresence()
                    .preservingProtoFieldNames()
                    .sortingMapKeys();

    private Json() {}

    /// One line, as Go's `json.Marshal` writes it.
    static String of(Message message) {
        return WRITER.toJson(tree(message));
    }

    static String of(List<? extends Message> messages) {
        var list = new JsonArray();
        messages.forEach(message -> list.add(tree(message)));
        return WRITER.toJson(list);
    }

    /// In the public form.
    public static JsonElement tree(Message message) {
        return PUBLIC.of(sorted(message));
    }

    /// Maps in the order of their keys, also where the server sent them in another.
    private static Message sorted(Message message) {
        var bytes = new byte[message.getSerializedSize()];
        var out = CodedOutputStream.newInstance(bytes);
        out.useDeterministicSerialization();
        try {
            message.writeTo(out);
            return message.getParserForType().parseFrom(bytes);
        } catch (IOException e) {
            throw new IllegalStateException("wire form: broken", e); // it was made just now
        }
    }

    /// So that a reader need not guess.
    static String withNames(Message message) {
        try {
            return NAMES.print(message);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(
                    "only messages with Any fields cannot be printed, and there are none", e);
        }
    }

    static String withNames(List<? extends Message> messages) {
        return messages.stream().map(Json::withNames).collect(Collectors.joining(",", "[", "]"));
    }
}
