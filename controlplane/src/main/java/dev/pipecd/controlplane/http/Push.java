// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.Set;

/// Where a push went, of all that a Git server tells of it: with its commits that may be many
/// megabytes, so it is read piece by piece and nothing else of it is kept.
///
/// @param remotes all the names of the repository, as [Remotes] writes them
record Push(String ref, Set<String> remotes) {
    private static final Set<String> URLS =
            Set.of(
                    "clone_url",
                    "ssh_url",
                    "html_url",
                    "git_url",
                    "git_http_url",
                    "git_ssh_url",
                    "http_url",
                    "web_url",
                    "homepage",
                    "url");

    private static final int LONGEST_NAME = 64 * 1024;
    private static final int MOST_NAMES = 50;

    /// Whoever sends it has not shown yet that he may: names are not remembered, and he needs the
    /// rest of the body to show it.
    private static final JsonFactory JSON =
            JsonFactory.builder()
                    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                    .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
                    .streamReadConstraints(
                            StreamReadConstraints.builder().maxStringLength(LONGEST_NAME).build())
                    .build();

    Push {
        remotes = Set.copyOf(remotes);
    }

    static Push read(InputStream body) throws IOException {
        var ref = "";
        var remotes = new HashSet<String>();
        try (var json = JSON.createParser(body)) {
            if (json.nextToken() != JsonToken.START_OBJECT)
                throw new JsonParseException(json, "no object");
            for (var key = json.nextFieldName(); key != null; key = json.nextFieldName()) {
                var value = json.nextToken();
                if (key.equals("ref") && value == JsonToken.VALUE_STRING) ref = json.getText();
                else if (key.equals("repository") || key.equals("project")) remotes(json, remotes);
                else json.skipChildren();
            }
        }
        return new Push(ref, remotes);
    }

    private static void remotes(JsonParser json, Set<String> found) throws IOException {
        if (json.currentToken() != JsonToken.START_OBJECT) {
            json.skipChildren();
            return;
        }
        for (var key = json.nextFieldName(); key != null; key = json.nextFieldName()) {
            var value = json.nextToken();
            if (!URLS.contains(key) || value != JsonToken.VALUE_STRING) json.skipChildren();
            else if (!json.getText().isBlank() && found.size() < MOST_NAMES)
                found.add(Remotes.normal(json.getText()));
        }
    }
}
