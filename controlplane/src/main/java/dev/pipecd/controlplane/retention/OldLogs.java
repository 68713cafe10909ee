// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.retention;

import dev.pipecd.controlplane.deployment.DeploymentStore;
import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.FileStore;
import dev.pipecd.controlplane.filestore.FileStore.Listed;
import dev.pipecd.controlplane.ops.Turn;
import dev.pipecd.domain.DeploymentId;
import java.util.ArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Deletes stage logs by their age. It goes by the files, so that those of a deployment that is
/// gone are found as well.
final class OldLogs {
    private static final Logger log = LoggerFactory.getLogger(OldLogs.class);
    private static final String FOLDER = "log";

    private final FileStore files;
    private final DeploymentStore deployments;
    private final long before;
    private String deployment = "";
    private boolean old;
    private int deleted;

    OldLogs(FileStore files, DeploymentStore deployments, long before) {
        this.files = files;
        this.deployments = deployments;
        this.before = before;
    }

    static void deleteAll(FileStore files, String deployment) {
        var found = new ArrayList<FilePath>();
        files.list(FilePath.of(FOLDER, deployment), listed -> found.add(listed.path()));
        found.forEach(files::delete);
    }

    /// A bucket is long: who must stop does not read the rest of it.
    void delete(Turn turn) {
        try {
            files.list(
                    FilePath.of(FOLDER),
                    listed -> {
                        turn.require();
                        if (listed.at().getEpochSecond() < before) look(listed);
                    });
        } finally {
            if (deleted > 0) log.info("retention: {} stage logs deleted", deleted);
        }
    }

    /// The files of one deployment come one after the other.
    private void look(Listed listed) {
        var id = listed.path().parts().get(1);
        if (!id.equals(deployment)) {
            deployment = id;
            old = isOld(id);
        }
        if (!old) return;
        files.delete(listed.path());
        deleted++;
    }

    /// One that waits for a person for weeks writes nothing all the while.
    private boolean isOld(String id) {
        return deployments
                .find(new DeploymentId(id))
                .map(d -> d.getCompletedAt() > 0 && d.getCompletedAt() < before)
                .orElse(true);
    }
}
