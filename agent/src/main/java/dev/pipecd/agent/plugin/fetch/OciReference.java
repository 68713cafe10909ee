// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.fetch;

import java.net.URI;
import java.util.Optional;
import java.util.regex.Pattern;

/// What `oci://host/path[:tag][@digest]` names.
record OciReference(String host, String repository, String tag, Optional<Checksum> digest) {
    private static final Pattern FORM =
            Pattern.compile(
                    "oci://(?<host>[A-Za-z0-9.-]+(:\\d{1,5})?)/(?<path>[a-z0-9]+([._/-]+[a-z0-9]+)*)"
                            + "(:(?<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(@sha256:(?<digest>[0-9a-f]{64}))?");

    static OciReference parse(String url) {
        var match = FORM.matcher(url);
        if (!match.matches())
            throw new IllegalArgumentException(
                    "url: \"%s\" (expected: oci://host/path[:tag][@sha256:digest])".formatted(url));
        return new OciReference(
                match.group("host"),
                match.group("path"),
                Optional.ofNullable(match.group("tag")).orElse("latest"),
                Optional.ofNullable(match.group("digest")).map(Checksum::new));
    }

    /// A registry on this very machine is spoken to in plain, as everywhere.
    private String base() {
        var local = host.matches("(localhost|127\\.[0-9.]+)(:\\d+)?");
        return "%s://%s/v2/%s/".formatted(local ? "http" : "https", host, repository);
    }

    URI manifest() {
        return URI.create(base() + "manifests/" + digest.map(Checksum::toString).orElse(tag));
    }

    URI manifest(Checksum other) {
        return URI.create(base() + "manifests/" + other);
    }

    URI blob(Checksum layer) {
        return URI.create(base() + "blobs/" + layer);
    }
}
