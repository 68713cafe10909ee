// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.agent.process.ProcessGroup;
import dev.pipecd.agent.source.disk.Folder;
import dev.pipecd.agent.source.module.Gitlink;
import dev.pipecd.agent.source.tree.Extent;
import dev.pipecd.agent.source.tree.Surroundings;
import dev.pipecd.agent.source.tree.Texts;
import dev.pipecd.agent.source.tree.TreeExport;
import dev.pipecd.agent.source.tree.TreePath;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.eclipse.jgit.lib.ObjectId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Every repository the agent watches: fetched over the network, read from disk. A repository that
/// cannot be reached is a `Problem` of whoever asks for it, never the end of the agent.
public final class Repositories implements History, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Repositories.class);

    private final Map<RepositoryId, Mirror> mirrors = new LinkedHashMap<>();
    private final Map<RepositoryId, GitObjects.Known> configs = new ConcurrentHashMap<>();
    private final Submodules submodules;
    private final String boot;

    /// `root` belongs to this agent alone; what an earlier life left there half made is removed.
    public Repositories(
            Path root, List<Repository> repositories, GitBinary git, InstantSource clock) {
        this(root, repositories, git, clock, ProcessGroup.boot());
    }

    /// @param boot another one each time the machine is started
    Repositories(
            Path root,
            List<Repository> repositories,
            GitBinary git,
            InstantSource clock,
            String boot) {
        this.boot = boot;
        JGitSettings.install();
        var home = root.toAbsolutePath().normalize();
        try {
            Files.createDirectories(home);
            endLeftBehind(home);
            Folder.deleteHalfMade(home);
            submodules = new Submodules(home.resolve("submodules"), git, clock);
        } catch (IOException e) {
            throw new Problem(
                    Problem.Code.STORE_UNAVAILABLE,
                    "git mirrors: %s (expected: a folder the agent can write)".formatted(e),
                    "Give the agent's data directory write permission.",
                    e);
        }
        for (var repository : repositories)
            mirrors.put(
                    repository.id(),
                    new Mirror(
                            home.resolve(folderOf(repository.id())),
                            repository,
                            git,
                            clock,
                            "repository " + repository.id()));
    }

    @Override
    public Commit fetch(RepositoryId id) {
        return mirror(id).fetch();
    }

    @Override
    public Optional<Commit> head(RepositoryId id) {
        try {
            return mirror(id).head();
        } catch (Problem e) {
            if (e.code() == Problem.Code.REPOSITORY_UNREACHABLE) return Optional.empty();
            throw e;
        }
    }

    public Commit commit(RepositoryId id, String hash) {
        var mirror = mirror(id);
        return mirror.read(hash, objects -> objects.commit(hash, mirror.repository().branch()));
    }

    public boolean contains(RepositoryId id, String hash) {
        return mirror(id).reaches(hash);
    }

    /// The same of the mirror alone: no server is asked unless it is damaged.
    public boolean holds(RepositoryId id, String hash) {
        return mirror(id).holds(hash);
    }

    /// The commit that merging `change` into `base` would make, in our mirror only; a `Problem`
    /// when they do not merge.
    public Commit merged(RepositoryId id, String base, String change) {
        var mirror = mirror(id);
        if (mirror.isShallow() && !mirror.read(change, objects -> objects.related(base, change)))
            mirror.deepen();
        return mirror.read(
                change,
                objects ->
                        objects.commit(objects.merged(base, change), mirror.repository().branch()));
    }

    /// What differs between two commits; equal folders are not looked into.
    public ChangedFiles changedFiles(RepositoryId id, String from, String to) {
        return mirror(id).read(from, objects -> objects.changed(from, to));
    }

    @Override
    public ChangedFiles changedFiles(
            RepositoryId id, String from, String to, List<String> folders) {
        return mirror(id).read(from, objects -> objects.changed(from, to, folders));
    }

    @Override
    public boolean eachChanged(RepositoryId id, String from, String to, Consumer<String> path) {
        return mirror(id).read(from, objects -> objects.changed(from, to, List.of(""), path));
    }

    @Override
    public List<Commit> since(RepositoryId id, String from, String to) {
        var mirror = mirror(id);
        return mirror.read(from, objects -> objects.since(from, to, mirror.repository().branch()));
    }

    @Override
    public List<String> changedBy(RepositoryId id, String from, String hash, List<String> folders) {
        return mirror(id).read(from, objects -> objects.changedBy(from, hash, folders));
    }

    @Override
    public List<String> way(RepositoryId id, String hash, String path) {
        return mirror(id).read(hash, objects -> objects.path(hash).way(path));
    }

    /// Where a path of a commit leads when links are followed.
    public Optional<String> real(RepositoryId id, String hash, String path) {
        return mirror(id).read(hash, objects -> objects.path(hash).real(path));
    }

    @Override
    public Optional<ObjectId> content(RepositoryId id, String hash, String path) {
        return mirror(id).read(hash, objects -> objects.blob(hash, path));
    }

    @Override
    public byte[] content(RepositoryId id, ObjectId content, String path, int maxBytes) {
        return mirror(id).read(objects -> objects.content(content, path, maxBytes));
    }

    /// A file of a commit, nothing if there is none; links are followed inside the repository only.
    public Optional<byte[]> read(RepositoryId id, String hash, String path, int maxBytes) {
        return mirror(id).read(hash, objects -> objects.read(hash, path, maxBytes));
    }

    /// Paths of all application configuration files of a commit.
    public List<String> applicationConfigs(RepositoryId id, String hash) {
        var known = configs.getOrDefault(id, GitObjects.Known.NOTHING);
        if (known.hash().equals(hash)) return known.paths();
        var paths =
                List.copyOf(
                        mirror(id).read(hash, objects -> objects.applicationConfigs(known, hash)));
        configs.put(id, new GitObjects.Known(hash, paths));
        return paths;
    }

    /// What an application is given of a commit as a folder: there whole or not at all, and the
    /// same one each time it is asked for until the machine is started anew. It is not forced to
    /// the disk, which for a thousand small ones would be most of the work: after a power cut its
    /// files may be empty, so it is not found again but made again.
    ///
    /// @param at where it is, and how its name begins; what it holds is told behind that
    /// @param finish is done to it once, before it is there
    public Export export(
            RepositoryId id,
            String hash,
            String applicationDirectory,
            Extent extent,
            Path at,
            Consumer<Export> finish) {
        var parts = TreePath.parts(applicationDirectory);
        var more = extent.equals(Extent.USUAL) ? "" : "\n" + extent;
        var what = "%s\n%s\n%s%s".formatted(boot, id, String.join("/", parts), more);
        var named = "%s-%s-%s".formatted(at.getFileName(), hash, digest(what).substring(0, 8));
        var root = at.toAbsolutePath().normalize().resolveSibling(named);
        if (!Files.isDirectory(root)) write(mirror(id), hash, parts, extent, root, finish);
        return Export.in(root, parts);
    }

    /// The folders and files outside of which nothing can change what `export` gives.
    public List<String> reach(
            RepositoryId id, String hash, String applicationDirectory, Extent extent) {
        var parts = TreePath.parts(applicationDirectory);
        return mirror(id)
                .read(hash, objects -> Surroundings.of(objects.path(hash), parts, extent).reach());
    }

    /// Names of the plain files right inside a folder of a commit.
    public List<String> files(RepositoryId id, String hash, String folder) {
        return mirror(id).read(hash, objects -> objects.files(hash, folder));
    }

    public List<String> branches(RepositoryId id) {
        return mirror(id).read(GitObjects::branches);
    }

    /// Writes a commit and answers its hash; nobody sees it before it is pushed.
    public String commit(RepositoryId id, Draft draft) {
        return mirror(id).read(draft.parent(), draft::write);
    }

    /// Puts a commit on a branch of the remote; an empty `branch` is the one that is watched.
    public Draft.Push push(RepositoryId id, String commit, String branch) {
        var mirror = mirror(id);
        return mirror.push(commit, branch.isEmpty() ? mirror.repository().branch() : branch);
    }

    @Override
    public String commitUrl(RepositoryId id, String hash) {
        return new Remote(mirror(id).repository().remote()).commitUrl(hash);
    }

    @Override
    public Path folder(RepositoryId id) {
        return mirror(id).directory();
    }

    @Override
    public Map<RepositoryId, Health> health() {
        var all = new LinkedHashMap<RepositoryId, Health>();
        mirrors.forEach((id, mirror) -> all.put(id, mirror.health()));
        return all;
    }

    int waiting(RepositoryId id) {
        return mirror(id).waiting();
    }

    @Override
    public void close() {
        mirrors.values().forEach(Mirror::close);
        submodules.close();
    }

    private Mirror mirror(RepositoryId id) {
        var mirror = mirrors.get(id);
        if (mirror != null) return mirror;
        throw new Problem(
                Problem.Code.NOT_FOUND,
                "repository: \"%s\" (expected: one of %s)".formatted(id, mirrors.keySet()),
                "Add it to `repositories` of the agent's configuration.");
    }

    private void write(
            Mirror mirror,
            String hash,
            List<String> parts,
            Extent extent,
            Path root,
            Consumer<Export> finish) {
        try {
            var parent = Files.createDirectories(root.resolveSibling(""));
            var half = Files.createTempDirectory(parent, Folder.HALF_MADE);
            try {
                var links = mirror.read(hash, objects -> plain(objects, hash, parts, extent, half));
                submodules.fill(mirror, hash, links, half, extent.leniency());
                requireDirectory(half, parts, hash);
                finish.accept(Export.in(half, parts));
                Files.move(half, root, StandardCopyOption.ATOMIC_MOVE);
            } catch (FileSystemException e) {
                // Another caller made the same folder first: it is the same.
                if (!Files.isDirectory(root)) throw e;
            } finally {
                Folder.delete(half);
            }
        } catch (IOException e) {
            throw mirror.unusable(e);
        }
    }

    private static List<Gitlink> plain(
            GitObjects objects, String hash, List<String> parts, Extent extent, Path folder)
            throws IOException {
        Folder.empty(folder);
        var export = new TreeExport(objects.mirror(), folder);
        export.write(Surroundings.of(objects.path(hash), parts, extent));
        return export.links();
    }

    private static void requireDirectory(Path half, List<String> parts, String hash) {
        if (!Files.isDirectory(Export.in(half, parts).applicationDirectory()))
            throw new Problem(
                    Problem.Code.NOT_FOUND,
                    "application directory: \"%s\" (expected: a folder of commit %s)"
                            .formatted(
                                    Texts.visible(String.join("/", parts)), hash.substring(0, 8)),
                    "Restore the folder, or correct or delete the application.");
    }

    /// A git process outlives an agent killed with -9 and would fight with ours over the mirror.
    private static void endLeftBehind(Path home) {
        var mark = GitBinary.at(home) + "/";
        ProcessHandle.allProcesses()
                .filter(process -> worksOn(process, mark))
                .forEach(process -> {
                    log.info("git process of an earlier run is ended pid={}", process.pid());
                    ProcessGroup.killLeftBehind(process.pid());
                });
    }

    private static boolean worksOn(ProcessHandle process, String mark) {
        for (var argument : process.info().arguments().orElse(new String[0]))
            if (argument.startsWith(mark)) return true;
        return false;
    }

    /// Ids are chosen by people and may hold slashes: no id becomes a path, and no two one folder.
    private static String folderOf(RepositoryId id) {
        var readable = id.value().replaceAll("[^A-Za-z0-9_-]", "_");
        var brief = readable.length() <= 40 ? readable : readable.substring(0, 40);
        return brief + "-" + digest(id.value()).substring(0, 8) + ".git";
    }

    static String digest(String text) {
        try {
            var sha = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(sha.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /// A folder with what one application needs of one commit; the shared configuration folder may
    /// not exist.
    public record Export(Path root, Path applicationDirectory, Path sharedConfigDirectory) {
        static Export in(Path root, List<String> applicationDirectory) {
            var directory = root;
            for (var part : applicationDirectory) directory = directory.resolve(part);
            return new Export(root, directory, root.resolve(".pipe"));
        }
    }
}
