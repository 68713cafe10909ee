// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import static dev.pipecd.config.read.Reading.controlPlane;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/// Keeps the keys of a control plane in `docs/reference/configuration.md` equal to what is read:
/// each under its whole path, none that is gone, and every default as it is.
final class ControlPlanePageTest {
    private static final Path PAGE = Path.of("../docs/reference/configuration.md");
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
    private static final String HEAD =
            "apiVersion: pipecd.dev/v1beta1\nkind: ControlPlane\nspec:\n";

    /// With [ControlPlaneDocumentTest#FULL] every key there is.
    private static final List<String> OTHERS =
            List.of(
                    """
                      datastore:
                        type: MYSQL
                        config: {url: u, database: d, usernameFile: f, passwordFile: g}
                      filestore:
                        type: S3
                        config:
                          {bucket: b, region: r, profile: p, credentialsFile: c, roleARN: a, tokenFile: t,
                           endpoint: e, pathStyle: true, prefix: p, encryption: "aws:kms", kmsKeyID: k}
                      cache: {ttl: 1m}
                      projects: [{id: a, sharedSSOName: g, allowStrayAsViewer: true}]
                      sharedSSOConfigs:
                        - {name: g, provider: GOOGLE, google: {clientId: c, clientSecret: s}}
                    """,
                    """
                      filestore:
                        type: MINIO
                        config: {endpoint: e, bucket: b, accessKeyFile: a, secretKeyFile: s, autoCreateBucket: true}
                    """);

    /// As little as makes every default appear.
    private static final List<String> BARE =
            List.of(
                    """
                      filestore: {type: S3, config: {bucket: b, region: r}}
                      projects: [{id: a}]
                      sharedSSOConfigs: [{name: h, provider: GITHUB, github: {clientId: a, clientSecret: b}}]
                    """,
                    "  filestore: {type: MINIO, config: {bucket: b, endpoint: e}}\n");

    @Test
    void everyKeyIsOnThePageAndNoOther() throws IOException {
        var known = new TreeSet<>(leaves(ControlPlaneDocumentTest.FULL).keySet());
        OTHERS.forEach(spec -> known.addAll(leaves(HEAD + spec).keySet()));

        assertThat(page().keySet()).containsExactlyElementsOf(known);
    }

    @Test
    void everyDefaultOnThePageIsTheOneThatIsTaken() throws IOException {
        var page = page();
        var taken = new TreeMap<String, String>();
        for (var spec : BARE)
            leaves(HEAD + spec)
                    .forEach((path, value) -> {
                        if (!spec.contains(path.replaceFirst(".*[.]", "") + ":"))
                            taken.put(path, value);
                    });
        taken.values().removeIf(Set.of("0", "0s")::contains); // told in words

        assertThat(taken).hasSizeGreaterThan(7);
        taken.forEach((path, value) -> assertThat(page.get(path)).as(path).isEqualTo(value));
    }

    /// What is shown of a document at start: paths and values.
    private static Map<String, String> leaves(String document) {
        var found = new TreeMap<String, String>();
        add(found, "", new Yaml().load(controlPlane(document).masked()));
        return found;
    }

    private static void add(Map<String, String> found, String path, Object value) {
        switch (value) {
            case Map<?, ?> map ->
                    map.forEach((key, inner) ->
                            add(found, path.isEmpty() ? "" + key : path + "." + key, inner));
            case List<?> list when !list.isEmpty() && list.getFirst() instanceof Map ->
                    list.forEach(item -> add(found, path + "[]", item));
            default -> found.put(path, value.toString());
        }
    }

    /// Of the table of a control plane: each key with its default.
    private static Map<String, String> page() throws IOException {
        var found = new TreeMap<String, String>();
        var text = Files.readString(PAGE);
        var table = text.substring(text.indexOf("## ControlPlane"), text.indexOf("## Piped"));
        table.lines()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.split("(?<!\\\\)\\|"))
                .forEach(cells -> {
                    var paths = paths(cells[1], cells[2]);
                    var defaults = cells[3].replace("`", "").strip().split(", ");
                    for (var i = 0; i < paths.size(); i++)
                        found.put(
                                paths.get(i),
                                defaults.length == paths.size() ? defaults[i] : cells[3].strip());
                });
        return found;
    }

    /// `a.b`, `c` are `a.b` and `a.c`; of a login elsewhere the keys are in the next column.
    private static List<String> paths(String keys, String types) {
        var names = quoted(keys);
        var first = names.getFirst();
        if (first.matches("sharedSSOConfigs\\[]\\.(github|google|oidc)"))
            return quoted(types).stream().map(key -> first + "." + key).toList();
        var parent = first.substring(0, first.lastIndexOf('.') + 1);
        return names.stream().map(name -> name.equals(first) ? name : parent + name).toList();
    }

    private static List<String> quoted(String cell) {
        var found = new ArrayList<String>();
        var matcher = QUOTED.matcher(cell);
        while (matcher.find()) found.add(matcher.group(1));
        return found;
    }
}
