// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.transfer;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.connect.Pages;
import dev.pipecd.wire.api.ListApplicationsRequest;
import dev.pipecd.wire.model.Application;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Every application of a project, page by page, the disabled ones too.
final class AllApplications {
    private AllApplications() {}

    static List<Application> of(ApiConnection api, Map<String, String> labels) {
        var found = new ArrayList<Application>();
        for (var disabled : List.of(false, true)) {
            var asked =
                    ListApplicationsRequest.newBuilder().setDisabled(disabled).putAllLabels(labels);
            Pages.read(0, "", (limit, cursor) -> page(api, asked, limit, cursor)).found().stream()
                    .filter(application -> !application.getDeleted())
                    .forEach(found::add);
        }
        return found;
    }

    private static Pages<Application> page(
            ApiConnection api, ListApplicationsRequest.Builder asked, int limit, String cursor) {
        var request = asked.setLimit(limit).setCursor(cursor).build();
        var page = api.ask(stub -> stub.listApplications(request));
        return new Pages<>(page.getApplicationsList(), page.getCursor());
    }
}
