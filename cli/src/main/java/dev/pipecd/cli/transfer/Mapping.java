// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.transfer;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import com.google.gson.annotations.SerializedName;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Which agent of the old control plane is which of the new one, with its new key; in the public
/// form.
record Mapping(List<Entry> entries) {
    private static final Gson GSON =
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    record Entry(
            @SerializedName("old_piped_id") String oldId,
            @SerializedName("new_piped_id") String newId,
            @SerializedName("new_key") String key,
            @SerializedName("new_base64_key") String base64Key,
            @SerializedName("piped_name") String name) {
        static Entry of(String oldId, String newId, String key, String name) {
            var bytes = key.getBytes(StandardCharsets.UTF_8);
            return new Entry(oldId, newId, key, Base64.getEncoder().encodeToString(bytes), name);
        }
    }

    /// As it lies in the file; the counts are always 0 there, publicly too.
    private record Form(
            @SerializedName("piped_mappings") @Nullable List<@Nullable Entry> entries,
            @SerializedName("restored_application_count") int restored,
            @SerializedName("failed_application_count") int failed) {}

    Mapping {
        entries = List.copyOf(entries);
    }

    Mapping with(Entry more) {
        var all = new ArrayList<>(entries);
        all.add(more);
        return new Mapping(all);
    }

    Optional<Entry> of(String oldId) {
        return entries.stream().filter(entry -> oldId.equals(entry.oldId())).findFirst();
    }

    String text() {
        return GSON.toJson(new Form(new ArrayList<>(entries), 0, 0)) + "\n";
    }

    static Mapping read(String flag, Path file) {
        try {
            var form = GSON.fromJson(PrivateFile.read(flag, file), Form.class);
            if (form != null && form.entries() != null)
                return new Mapping(
                        form.entries().stream()
                                .flatMap(entry -> Optional.ofNullable(entry).stream())
                                .toList());
        } catch (JsonParseException e) {
            throw unreadable(flag, file);
        }
        throw unreadable(flag, file);
    }

    private static Problem unreadable(String flag, Path file) {
        return new Problem(
                Code.SETTING_INVALID,
                "%s: %s (expected: a file that `pipectl transfer restore piped` wrote)"
                        .formatted(flag, file),
                "Give the file of the first step.");
    }
}
