// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/// The three roles every project has.
public enum BuiltInRole {
    ADMIN("Admin"),
    EDITOR("Editor"),
    VIEWER("Viewer");

    private static final Set<Action> READ = EnumSet.of(Action.GET, Action.LIST);
    private final String roleName;

    BuiltInRole(String roleName) {
        this.roleName = roleName;
    }

    public static Optional<BuiltInRole> named(String name) {
        return Arrays.stream(values()).filter(r -> r.roleName.equals(name)).findFirst();
    }

    public String roleName() {
        return roleName;
    }

    public boolean allows(Resource resource, Action action) {
        return switch (this) {
            case ADMIN -> true;
            case EDITOR ->
                    resource == Resource.APPLICATION
                            || resource == Resource.DEPLOYMENT
                            || reads(resource, action);
            case VIEWER -> reads(resource, action);
        };
    }

    private static boolean reads(Resource resource, Action action) {
        return switch (resource) {
            case APPLICATION, DEPLOYMENT, PIPED -> READ.contains(action);
            case PROJECT, INSIGHT -> action == Action.GET;
            case EVENT -> action == Action.LIST;
            case DEPLOYMENT_CHAIN -> READ.contains(action);
            case API_KEY -> false;
        };
    }
}
