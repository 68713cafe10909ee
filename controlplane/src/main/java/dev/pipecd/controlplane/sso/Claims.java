// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// What an issuer says of a person, looked up where the settings or custom say.
record Claims(Provider.Claims keys, JsonNode claims) {
    private static final List<String> NAMES =
            List.of("username", "preferred_username", "name", "cognito:username");
    private static final List<String> PICTURES = List.of("picture", "avatar_url");
    private static final List<String> ROLES =
            List.of("groups", "roles", "cognito:groups", "custom:roles", "custom:groups");

    Identity identity() throws SignOnFailed {
        var name = first(keys.username(), NAMES);
        if (name.isEmpty()) name = claims.path("sub").asText("");
        if (name.isEmpty()) throw new SignOnFailed("The issuer did not say who you are.");
        return new Identity(name, first(keys.avatarUrl(), PICTURES), groups());
    }

    private String first(String key, List<String> usual) {
        for (var name : key.isEmpty() ? usual : List.of(key)) {
            var text = claims.path(name).asText("");
            if (!text.isEmpty()) return text;
        }
        return "";
    }

    private Set<String> groups() {
        var groups = new LinkedHashSet<String>();
        for (var name : keys.roles().isEmpty() ? ROLES : List.of(keys.roles())) {
            var value = claims.path(name);
            if (value.isTextual()) groups.add(value.asText());
            value.forEach(each -> groups.add(each.asText("")));
        }
        groups.remove("");
        return groups;
    }
}
