// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The three roles every project has.
public enum BuiltInRole {
    ADMIN("Admin"),
    EDITOR("Editor"),
    VIEWER("Viewer");

    private final String roleName;
    private final Set<Permission> permissions;

    BuiltInRole(String roleName) {
        this.roleName = roleName;
        this.permissions =
                Arrays.stream(Resource.values())
                        .flatMap(r -> Arrays.stream(Action.values()).map(a -> of(r, a)))
                        .filter(p -> allows(roleName, p.resource(), p.action()))
                        .collect(Collectors.toUnmodifiableSet());
    }

    private static Permission of(Resource resource, Action action) {
        return new Permission(resource, action, Map.of());
    }

    public static Optional<BuiltInRole> named(String name) {
        return Arrays.stream(values()).filter(r -> r.roleName.equals(name)).findFirst();
    }

    /// Of those among the names that are built in.
    static Set<Permission> permissions(Set<String> names) {
        return names.stream()
                .flatMap(name -> named(name).stream())
                .flatMap(role -> role.permissions.stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    public String roleName() {
        return roleName;
    }

    public Set<Permission> permissions() {
        return permissions;
    }

    public boolean allows(Resource resource, Action action) {
        return permissions.contains(of(resource, action));
    }

    private static boolean allows(String role, Resource resource, Action action) {
        return switch (role) {
            case "Admin" -> true;
            case "Editor" ->
                    resource == Resource.APPLICATION
                            || resource == Resource.DEPLOYMENT
                            || reads(resource, action);
            default -> reads(resource, action);
        };
    }

    private static boolean reads(Resource resource, Action action) {
        return switch (resource) {
            case APPLICATION, DEPLOYMENT, PIPED, DEPLOYMENT_CHAIN ->
                    action == Action.GET || action == Action.LIST;
            case PROJECT, INSIGHT -> action == Action.GET;
            case EVENT -> action == Action.LIST;
            case API_KEY -> false;
        };
    }
}
