// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.simulation;

import dev.pipecd.agent.source.ChangedFiles;
import dev.pipecd.agent.source.Commit;
import dev.pipecd.agent.source.Health;
import dev.pipecd.agent.source.History;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;

/// One repository at its remote. It goes away and comes back, and its history is rewritten.
final class SimulatedGit {
    static final RepositoryId ID = new RepositoryId("demo");
    private static final ObjectInserter.Formatter NAMES = new ObjectInserter.Formatter();

    private static final byte[] BROKEN =
            "kind: Application\nspec: [".getBytes(java.nio.charset.StandardCharsets.UTF_8);

    private final Map<String, byte[]> files = new LinkedHashMap<>();
    private final Map<ObjectId, byte[]> contents = new LinkedHashMap<>();
    private final List<Change> commits = new ArrayList<>();
    private int firstKept;
    boolean away;

    /// @param files by their paths; each lies in the folder of its application
    SimulatedGit(Map<String, String> files) {
        contents.put(NAMES.idFor(Constants.OBJ_BLOB, BROKEN), BROKEN);
        files.forEach((path, text) -> {
            var content = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
            this.files.put(path, content);
            contents.put(NAMES.idFor(Constants.OBJ_BLOB, content), content);
        });
    }

    /// @param broken whose file nobody can read in it
    record Change(Set<String> folders, Set<String> broken) {}

    void push(Change change) {
        commits.add(change);
    }

    /// Nobody can compare with what was there before.
    void rewrite(Change change) {
        push(change);
        firstKept = commits.size() - 1;
    }

    static String hash(int commit) {
        return "%040x".formatted(commit + 1);
    }

    static int number(String hash) {
        return Integer.parseInt(hash, 16) - 1;
    }

    int head() {
        return commits.size() - 1;
    }

    /// The last commit that must have led to a deployment of what lies in a folder.
    int lastTouching(String folder) {
        return IntStream.rangeClosed(0, head())
                .filter(n -> n == firstKept || commits.get(n).folders().contains(folder))
                .max()
                .orElse(-1);
    }

    /// Whether nobody can read the file of what lies in a folder.
    boolean broken(int commit, String folder) {
        return IntStream.rangeClosed(0, commit)
                .mapToObj(commits::get)
                .filter(change -> change.folders().contains(folder))
                .reduce((_, later) -> later)
                .filter(change -> change.broken().contains(folder))
                .isPresent();
    }

    /// As one machine sees it: fetched over the network, read from its disk.
    final class Mirror implements History {
        private final SimulatedMachine machine;
        private final Path folder;
        private int fetched = -1;
        private int oldest;
        private Instant mendedAt = Instant.EPOCH;

        /// What is on the disk cannot be read until it is fetched anew.
        boolean damaged;

        Mirror(SimulatedMachine machine, Path folder) {
            this.machine = machine;
            this.folder = folder;
        }

        @Override
        public Commit fetch(RepositoryId id) {
            travel();
            if (fetched < 0 || damaged) oldest = firstKept;
            damaged = false;
            fetched = SimulatedGit.this.head();
            var seen = fetched;
            travel();
            return commit(seen);
        }

        /// The disk is gone.
        void lose() {
            fetched = -1;
        }

        /// Fetches what is not here.
        void reach(String hash) {
            requireReadable();
            if (!has(hash)) fetch(ID);
            if (!has(hash)) throw unreachable();
        }

        private boolean has(String hash) {
            return number(hash) >= oldest && number(hash) <= fetched;
        }

        /// Whoever reads a damaged one has it fetched anew, but not again and again.
        private void requireReadable() {
            if (fetched >= 0 && !damaged) return;
            if (damaged) {
                if (Duration.between(mendedAt, machine.instant()).abs().toMinutes() < 10)
                    throw unreachable();
                mendedAt = machine.instant();
            }
            fetch(ID);
        }

        private void travel() {
            try {
                machine.sleep(Duration.ofSeconds(1));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw unreachable();
            }
            if (away) throw unreachable();
        }

        private static Problem unreachable() {
            return new Problem(Problem.Code.REPOSITORY_UNREACHABLE, "git: away", "");
        }

        private static Commit commit(int number) {
            return new Commit(hash(number), "Change it", "", "ann", Instant.EPOCH, "main");
        }

        @Override
        public Optional<Commit> head(RepositoryId id) {
            if (damaged) requireReadable();
            return fetched < 0 ? Optional.empty() : Optional.of(commit(fetched));
        }

        @Override
        public ChangedFiles changedFiles(
                RepositoryId id, String from, String to, List<String> folders) {
            var paths = new ArrayList<String>();
            return eachChanged(id, from, to, paths::add)
                    ? new ChangedFiles.Changed(
                            paths.stream()
                                    .filter(p -> folders.stream().anyMatch(p::startsWith))
                                    .toList())
                    : new ChangedFiles.HistoryRewritten();
        }

        @Override
        public boolean eachChanged(RepositoryId id, String from, String to, Consumer<String> path) {
            requireReadable();
            if (number(from) < Math.max(firstKept, oldest)) return false;
            for (var n = number(from) + 1; n <= number(to); n++)
                commits.get(n).folders().forEach(folder -> path.accept(folder + "/index.html"));
            return true;
        }

        /// Nobody's message says anything.
        @Override
        public List<Commit> since(RepositoryId id, String from, String to) {
            return List.of();
        }

        @Override
        public List<String> changedBy(
                RepositoryId id, String from, String hash, List<String> folders) {
            return List.of();
        }

        @Override
        public List<String> way(RepositoryId id, String hash, String path) {
            requireReadable();
            return List.of(path);
        }

        @Override
        public Optional<ObjectId> content(RepositoryId id, String hash, String path) {
            reach(hash);
            var folder = path.substring(0, path.indexOf('/'));
            return Optional.ofNullable(broken(number(hash), folder) ? BROKEN : files.get(path))
                    .map(content -> NAMES.idFor(Constants.OBJ_BLOB, content));
        }

        @Override
        public byte[] content(RepositoryId id, ObjectId content, String path, int maxBytes) {
            requireReadable();
            return Optional.ofNullable(contents.get(content)).orElseThrow();
        }

        @Override
        public String commitUrl(RepositoryId id, String hash) {
            return "";
        }

        @Override
        public Path folder(RepositoryId id) {
            return folder;
        }

        @Override
        public Map<RepositoryId, Health> health() {
            return Map.of(ID, new Health.NotFetchedYet());
        }
    }
}
