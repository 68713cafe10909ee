// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.config.ControlPlaneConfig.Reach;
import dev.pipecd.config.SharedSso;
import dev.pipecd.controlplane.access.ApiKeys;
import dev.pipecd.controlplane.access.KeyMatches;
import dev.pipecd.controlplane.access.Seal;
import dev.pipecd.controlplane.access.SessionEnds;
import dev.pipecd.controlplane.access.SessionStore;
import dev.pipecd.controlplane.agentapi.About;
import dev.pipecd.controlplane.audit.AuditLog;
import dev.pipecd.controlplane.cache.Cache;
import dev.pipecd.controlplane.cache.CacheAddress;
import dev.pipecd.controlplane.change.Changes;
import dev.pipecd.controlplane.change.Follower;
import dev.pipecd.controlplane.change.PublicAnswers;
import dev.pipecd.controlplane.change.Relay;
import dev.pipecd.controlplane.command.Commands;
import dev.pipecd.controlplane.door.JoinedService;
import dev.pipecd.controlplane.filestore.FileStore;
import dev.pipecd.controlplane.filestore.FileStores;
import dev.pipecd.controlplane.filestore.StageLogStore;
import dev.pipecd.controlplane.insight.Collector;
import dev.pipecd.controlplane.insight.Insights;
import dev.pipecd.controlplane.piped.Heartbeats;
import dev.pipecd.controlplane.piped.PipedHealth;
import dev.pipecd.controlplane.piped.PipedKeys;
import dev.pipecd.controlplane.piped.PipedLeases;
import dev.pipecd.controlplane.piped.PipedReports;
import dev.pipecd.controlplane.piped.Pipeds;
import dev.pipecd.controlplane.project.OwnProject;
import dev.pipecd.controlplane.project.Projects;
import dev.pipecd.controlplane.project.Roles;
import dev.pipecd.controlplane.project.SignOn;
import dev.pipecd.controlplane.project.SsoAddresses;
import dev.pipecd.controlplane.project.StaticAdmins;
import dev.pipecd.controlplane.release.GitHubReleases;
import dev.pipecd.controlplane.release.Releases;
import dev.pipecd.controlplane.sso.ProjectWays;
import dev.pipecd.controlplane.sso.Ways;
import dev.pipecd.controlplane.store.ApiKeyTable;
import dev.pipecd.controlplane.store.Database;
import dev.pipecd.controlplane.store.InsightTable;
import dev.pipecd.controlplane.store.JournalTable;
import dev.pipecd.controlplane.store.LeaseTable;
import dev.pipecd.controlplane.store.PipedTable;
import dev.pipecd.controlplane.store.ProjectTable;
import dev.pipecd.controlplane.store.SessionTable;
import dev.pipecd.controlplane.store.Trail;
import dev.pipecd.controlplane.webapi.AuditDoor;
import dev.pipecd.controlplane.webapi.HealthDoor;
import dev.pipecd.controlplane.webapi.SessionDoor;
import dev.pipecd.controlplane.webapi.WebInsightDoor;
import dev.pipecd.controlplane.webapi.WebProjectDoor;
import dev.pipecd.controlplane.webapi.WebRolesDoor;
import dev.pipecd.domain.IdSource;
import dev.pipecd.wire.model.Project;
import io.grpc.BindableService;
import java.net.URI;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// Everything behind the ports, put together in the order of the walk: stores, features, doors.
public record Features(
        Stores stores,
        Projects projects,
        Keys keys,
        People people,
        Pipeds pipeds,
        Delivery delivery,
        Doors doors)
        implements AutoCloseable {

    public static Features open(Settings settings, InstantSource clock, IdSource ids) {
        return open(settings, clock, ids, KeyMatches::hash);
    }

    /// @param hash how new keys are kept
    static Features open(
            Settings settings, InstantSource clock, IdSource ids, UnaryOperator<String> hash) {
        var stores = Stores.open(settings, ids);
        var database = stores.database();
        var trail = stores.trail();

        var projects = Projects.open(settings.projects(), new ProjectTable(database, trail, clock));
        var sessions = new SessionTable(database, trail, clock);
        var ends = new SessionEnds(sessions, clock);
        var signOn =
                new SignOn(projects, settings.signOn().seal(), settings.signOn().addresses(), ends);
        var audit = new AuditLog(trail);
        var figures = new InsightTable(database);
        var matches = new KeyMatches(clock);
        var pipedTable = new PipedTable(database, trail, clock);
        var pipedKeys = new PipedKeys(pipedTable, projects, matches);
        var apiKeys =
                new ApiKeys(
                        new ApiKeyTable(database, trail, clock),
                        projects,
                        matches,
                        hash,
                        ids,
                        stores.cache(),
                        clock);
        var heartbeats = new Heartbeats(stores.cache(), clock);
        var _ = stores.changes().listen(new PublicAnswers(stores.cache(), clock)::hear);
        var pipeds = new Pipeds(pipedTable, heartbeats, hash, ids, clock);
        var pipedReports = new PipedReports(pipedTable, heartbeats, clock);
        var delivery =
                new Delivery(
                        stores, pipeds, new About(pipedReports, settings.address()), ids, clock);
        var releases = new Releases(new GitHubReleases(settings.releases(), clock), pipeds);

        var forPeople = new ArrayList<BindableService>(delivery.forPeople(releases));
        forPeople.add(new WebProjectDoor(new OwnProject(projects), apiKeys));
        forPeople.add(
                new WebRolesDoor(
                        new StaticAdmins(projects, ends), signOn, new Roles(projects, ends)));
        forPeople.add(new WebInsightDoor(new Insights(figures), clock));
        return new Features(
                stores,
                projects,
                new Keys(pipedKeys, apiKeys),
                new People(
                        sessions,
                        new ProjectWays(projects, signOn, settings.signOn().shared()),
                        audit,
                        new Collector(figures, stores.changes())),
                pipeds,
                delivery,
                new Doors(
                        new JoinedService(delivery.forAgents()),
                        new JoinedService(forPeople),
                        List.of(new JoinedService(delivery.forKeys()), delivery.ownForKeys()),
                        List.of(
                                new SessionDoor(apiKeys, ends),
                                new AuditDoor(audit),
                                new HealthDoor(delivery.health()))));
    }

    /// What changed, for whoever holds a stream open.
    public Changes changes() {
        return stores.changes();
    }

    /// For the stream on which agents are told of them.
    public Commands commands() {
        return delivery.commands();
    }

    /// Which of several agents with one id acts.
    public PipedLeases leases() {
        return new PipedLeases(new LeaseTable(stores.database()));
    }

    /// How agents do.
    public PipedHealth health() {
        return delivery.health();
    }

    public PipedKeys pipedKeys() {
        return keys.pipeds();
    }

    public ApiKeys apiKeys() {
        return keys.people();
    }

    @Override
    public void close() {
        people.figures().close();
        delivery.close();
        stores.close();
    }

    /// Who may come in with a key.
    record Keys(PipedKeys pipeds, ApiKeys people) {}

    /// How people come in, what they did, and what came of it.
    record People(SessionStore sessions, Ways ways, AuditLog audit, Collector figures) {}

    /// Where everything is kept and who is served.
    ///
    /// @param database which one, and where
    /// @param address the URL people reach the web UI under, told to agents; may be empty
    /// @param projects those of the configuration file
    /// @param releases where versions of agents are published, or empty to ask nobody
    public record Settings(
            Database.Place database,
            FileStores.Place files,
            CacheAddress cache,
            String address,
            List<Project> projects,
            Optional<URI> releases,
            SignOnSettings signOn) {
        public Settings {
            projects = List.copyOf(projects);
        }
    }

    /// How people log in elsewhere.
    ///
    /// @param seal closes secrets before they are stored
    /// @param addresses what a project's own settings may name
    public record SignOnSettings(List<SharedSso> shared, Seal seal, SsoAddresses addresses) {
        public SignOnSettings {
            shared = List.copyOf(shared);
        }

        /// As without a word of the operator's.
        public SignOnSettings(List<SharedSso> shared, Seal seal) {
            this(shared, seal, new SsoAddresses(Reach.NETWORK));
        }
    }

    /// The services to be bound to ports, behind authentication and validation.
    ///
    /// @param api the public one for holders of a key, and our own beside it
    /// @param own our own for people, beside the public one
    public record Doors(
            BindableService piped,
            BindableService web,
            List<BindableService> api,
            List<BindableService> own) {
        public Doors {
            own = List.copyOf(own);
            api = List.copyOf(api);
        }
    }

    /// What is kept, and what is told of its changes.
    public record Stores(
            Database database,
            Trail trail,
            Follower follower,
            Changes changes,
            FileStores kept,
            Cache cache,
            Relay relay)
            implements AutoCloseable {
        static Stores open(Settings settings, IdSource ids) {
            // Files first, as in the public system: a bucket that cannot be reached stops the
            // start.
            var place = settings.files();
            var files = FileStores.open(place.configured(), place.usual()).tried(ids.next());
            var database = Database.open(settings.database());
            var journal = new JournalTable(database);
            var kept = files.behind(journal, journal);
            var trail = new Trail(database);
            var changes = new Changes(trail);
            trail.passOnTo(changes::heard);
            var cache = settings.cache().open();
            var relay = Relay.start(cache, changes, trail::look, ids.next());
            trail.whenGrown(relay::grown);
            var follower = Follower.of(database.shared(), trail::look);
            return new Stores(database, trail, follower, changes, kept, cache, relay);
        }

        FileStore files() {
            return kept.files();
        }

        StageLogStore logs() {
            return kept.logs();
        }

        @Override
        public void close() {
            kept.close();
            relay.close();
            cache.close();
            follower.close();
            database.close();
        }
    }
}
