// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.application;

import dev.pipecd.controlplane.access.Caller.Agent;
import dev.pipecd.controlplane.access.Ownership;
import dev.pipecd.controlplane.document.GoJson;
import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.FileStore;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.wire.model.AnalysisResult;
import java.nio.charset.StandardCharsets;

/// The last good analysis of each application, which old agents compare the next one with.
public final class AnalysisResults {
    private final ApplicationReports applications;
    private final FileStore files;

    public AnalysisResults(ApplicationReports applications, FileStore files) {
        this.applications = applications;
        this.files = files;
    }

    public AnalysisResult latest(Agent agent, ApplicationId id) {
        var _ = applications.own(agent, id);
        return files.get(path(id))
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .map(text -> GoJson.read(AnalysisResult.getDefaultInstance(), text))
                .orElseThrow(() -> Ownership.notFound("analysis result", id.value()));
    }

    public void put(Agent agent, ApplicationId id, AnalysisResult result) {
        var _ = applications.own(agent, id);
        files.put(path(id), GoJson.write(result).toString().getBytes(StandardCharsets.UTF_8));
    }

    private static FilePath path(ApplicationId id) {
        return FilePath.of("latest-analysis-result", id.value() + ".json");
    }
}
