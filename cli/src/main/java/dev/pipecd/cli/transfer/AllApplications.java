// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.transfer;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.wire.api.ListApplicationsRequest;
import dev.pipecd.wire.model.Application;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Every application of a project, page by page, the disabled ones too.
final class AllApplications {
    private static final int PAGE = 500;

    private AllApplications() {}

    static List<Application> of(ApiConnection api, Map<String, String> labels) {
        var found = new ArrayList<Application>();
        for (var disabled : List.of(false, true)) {
            var cursor = "";
            while (true) {
                var request =
                        ListApplicationsRequest.newBuilder()
                                .setDisabled(disabled)
                                .putAllLabels(labels)
                                .setLimit(PAGE)
                                .setCursor(cursor)
                                .build();
                var page = api.ask(stub -> stub.listApplications(request));
                page.getApplicationsList().stream()
                        .filter(application -> !application.getDeleted())
                        .forEach(found::add);
                // A cursor that does not move would be followed for ever.
                if (page.getApplicationsCount() < PAGE || page.getCursor().equals(cursor)) break;
                cursor = page.getCursor();
            }
        }
        return found;
    }
}
