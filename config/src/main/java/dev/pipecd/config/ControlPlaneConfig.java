// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import dev.pipecd.domain.ProjectId;
import java.time.Duration;
import java.util.List;

/// `kind: ControlPlane`: what the server and its ops jobs are told. Texts are empty when not
/// written.
public record ControlPlaneConfig(
        String address,
        Storage storage,
        InsightCollector insightCollector,
        List<Project> projects,
        Login login,
        Webhook webhook,
        Ops ops) {
    public ControlPlaneConfig {
        projects = List.copyOf(projects);
    }

    /// Where things are kept.
    public record Storage(Datastore datastore, Filestore filestore, Cache cache) {}

    /// What servers share beside the stores. Without an address it is this process.
    ///
    /// @param address `host:port` or `redis://…`, which may hold a password
    /// @param caFile who vouches for the server of a `rediss://`; empty for the usual ones
    public record Cache(Secret address, Secret password, String caFile) {}

    public record InsightCollector(ApplicationInsight application, DeploymentInsight deployment) {}

    public record ApplicationInsight(boolean enabled, Cron schedule) {}

    public record DeploymentInsight(boolean enabled, Cron schedule, int chunkMaxCount) {}

    /// A project that lives only in this file.
    ///
    /// @param sharedSso the way its people log in elsewhere, by name; may be empty
    /// @param allowStrayAsViewer whether people without any known group may look
    public record Project(
            ProjectId id,
            String desc,
            StaticAdmin staticAdmin,
            String sharedSso,
            boolean allowStrayAsViewer) {}

    /// The hash is bcrypt; without a user name there is no static admin.
    public record StaticAdmin(String username, Secret passwordHash) {
        public boolean enabled() {
            return !username.isEmpty();
        }
    }

    /// How people come in from elsewhere; the state key signs the round trip.
    ///
    /// @param ownSso what the settings of a project's own administrators may name
    public record Login(Secret stateKey, List<SharedSso> sharedSso, Reach ownSso) {
        public Login {
            sharedSso = List.copyOf(sharedSso);
        }
    }

    /// Which addresses may be asked: public ones; those of private networks too; any, also those
    /// only this machine reaches.
    public enum Reach {
        PUBLIC,
        NETWORK,
        ANY
    }

    /// What a Git server must know to be believed when it tells of a push.
    public record Webhook(Secret secret) {}

    /// What the chores are told, and who may open the pages of `pipecd ops`.
    ///
    /// @param lostAfter how long an agent may be silent before its deployments are lost; zero means
    ///   for ever
    /// @param port on which a server has the pages, where there is no ops beside it; zero for none
    public record Ops(StaticAdmin owner, int port, Duration lostAfter, Retention retention) {}

    /// How long things are kept after they have ended; zero means for ever.
    public record Retention(
            Duration deployments, Duration stageLogs, Duration events, Duration commands) {}
}
