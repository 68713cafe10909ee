// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.publicapi;

import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import dev.pipecd.controlplane.application.ApplicationFilter;
import dev.pipecd.controlplane.application.ApplicationFilter.Activity;
import dev.pipecd.controlplane.deployment.DeploymentFilter;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.api.AddApplicationRequest;
import dev.pipecd.wire.api.ListApplicationsRequest;
import dev.pipecd.wire.api.ListDeploymentsRequest;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationKind;
import dev.pipecd.wire.model.DeploymentStatus;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// Requests of the public API in the words of the features. Empty texts in lists narrow nothing.
final class Filters {
    private Filters() {}

    static ApplicationFilter of(ProjectId project, ListApplicationsRequest request) {
        return new ApplicationFilter(
                project,
                request.getDisabled() ? Activity.DISABLED : Activity.ENABLED,
                kinds(List.of(request.getKind())),
                List.of(),
                request.getName(),
                request.getPipedId(),
                request.getLabelsMap());
    }

    static DeploymentFilter of(ProjectId project, ListDeploymentsRequest request) {
        return new DeploymentFilter(
                project,
                numbers("status", DeploymentStatus.getDescriptor(), request.getStatusesList())
                        .stream()
                        .map(DeploymentStatus::forNumber)
                        .toList(),
                kinds(request.getKindsList()),
                request.getApplicationIdsList().stream().filter(id -> !id.isEmpty()).toList(),
                request.getApplicationName(),
                request.getLabelsMap(),
                0);
    }

    private static List<ApplicationKind> kinds(List<String> names) {
        return numbers("kind", ApplicationKind.getDescriptor(), names).stream()
                .map(ApplicationKind::forNumber)
                .toList();
    }

    private static List<Integer> numbers(String what, EnumDescriptor type, List<String> names) {
        return names.stream()
                .filter(name -> !name.isEmpty())
                .map(name -> number(what, type, name))
                .toList();
    }

    private static int number(String what, EnumDescriptor type, String name) {
        var upper = name.toUpperCase(Locale.ROOT);
        for (var spelled : List.of(upper, "DEPLOYMENT_" + upper)) {
            var value = type.findValueByName(spelled);
            if (value != null) return value.getNumber();
        }
        throw new Problem(
                Problem.Code.REQUEST_INVALID,
                "%s: \"%s\" (expected: one of %s)"
                        .formatted(
                                what,
                                name,
                                type.getValues().stream()
                                        .map(EnumValueDescriptor::getName)
                                        .collect(Collectors.joining(", "))),
                "Correct the name.");
    }

    @SuppressWarnings("deprecation") // kind and provider of applications for old agents
    static Application draft(AddApplicationRequest request) {
        return Application.newBuilder()
                .setName(request.getName())
                .setPipedId(request.getPipedId())
                .setGitPath(request.getGitPath())
                .setKind(request.getKind())
                .setDescription(request.getDescription())
                .putAllLabels(request.getLabelsMap())
                .setPlatformProvider(request.getPlatformProvider())
                .build();
    }
}
