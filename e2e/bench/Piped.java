// SPDX-License-Identifier: Apache-2.0
package bench;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/// A real agent of the distribution, watching one generated repository.
final class Piped implements AutoCloseable {
    private static final String SETTINGS = """
            apiVersion: pipecd.dev/v1beta1
            kind: Piped
            spec:
              projectID: quickstart
              pipedID: %s
              pipedKeyData: %s
              apiAddress: 127.0.0.1:%d
              repositories:
                - {repoId: mono, remote: '%s', branch: main}
              plugins:
                - {name: wait, url: builtin:wait}
                - {name: waitapproval, url: builtin:waitapproval}
                - {name: scriptrun, url: builtin:scriptrun}
            %s
              maxRunningStages: %d
            """;

    private static final Pattern TOLD =
            Pattern.compile("deployment (?<id>\\S+) of app-(?<application>\\d+)(?: opened for commit (?<commit>\\w+)|: ends as (?<status>\\w+))");
    private static final Pattern COMPARED = Pattern.compile(" (\\d+) application\\(s\\) compared with");

    private final Path dist;
    private final Path folder;
    private final int admin;
    private Process process;
    private boolean answered;

    /// @param plugins lines of its `plugins:` beside those of all
    Piped(Path dist, Path folder, Monorepo repository, int port, int stagesAtOnce, String plugins) throws Exception {
        this.dist = dist;
        this.folder = folder;
        this.admin = Running.freePort();
        var key = Base64.getEncoder().encodeToString(Fleet.pipedKey(0).getBytes(StandardCharsets.UTF_8));
        Files.writeString(
                folder.resolve("piped.yaml"),
                SETTINGS.formatted(Fleet.piped(0), key, port, repository.address(), plugins.indent(4).stripTrailing(), stagesAtOnce));
        start();
    }

    void start() throws IOException {
        answered = false;
        process =
                new ProcessBuilder(
                                List.of(
                                        dist.resolve("bin/piped").toString(), "run", "--config-file=" + folder.resolve("piped.yaml"), "--insecure=true",
                                        "--data-dir=" + folder.resolve("piped"), "--admin-port=" + admin, "--plugin-service-port=0", "--log-encoding=json"))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("piped.out").toFile()))
                        .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
    }

    /// As power is cut.
    void kill() throws InterruptedException {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.waitFor();
    }

    /// Waits until its log has the words so often.
    void await(String words, int times) throws Exception {
        while (count(words) < times) {
            if (process.waitFor(20, TimeUnit.MILLISECONDS)) throw new IOException(Files.readString(folder.resolve("piped.out")));
        }
    }

    /// Waits until it has compared so many applications, which it may do by turns.
    void awaitCompared(int applications) throws Exception {
        while (compared() < applications) {
            if (process.waitFor(20, TimeUnit.MILLISECONDS)) throw new IOException(Files.readString(folder.resolve("piped.out")));
        }
    }

    private int compared() throws IOException {
        return COMPARED.matcher(Files.readString(folder.resolve("piped.out"))).results().mapToInt(found -> Integer.parseInt(found.group(1))).sum();
    }

    long count(String words) throws IOException {
        var text = Files.readString(folder.resolve("piped.out"));
        var count = 0;
        for (var at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) count++;
        return count;
    }

    /// When it, or the server beside it, wrote each line with these words, in milliseconds.
    double[] moments(String log, String words) throws IOException {
        try (var lines = Files.lines(folder.resolve(log))) {
            return lines.filter(line -> line.contains(words)).mapToDouble(Piped::moment).toArray();
        }
    }

    private static double moment(String line) {
        return Double.parseDouble(line.replaceFirst(".*\"eventTime\":([0-9.E]+).*", "$1")) * 1000;
    }

    /// The deployments that it opened for one of these commits, by its log.
    List<Walked> walked(Set<String> commits) throws IOException {
        var opened = new LinkedHashMap<String, Double>();
        var walked = new ArrayList<Walked>();
        try (var lines = Files.lines(folder.resolve("piped.out"))) {
            for (var line : (Iterable<String>) lines::iterator) {
                var found = TOLD.matcher(line);
                if (!found.find()) continue;
                var deployment = found.group("id") + " " + found.group("application");
                if (found.group("commit") != null && commits.contains(found.group("commit"))) opened.put(deployment, moment(line));
                else if (found.group("status") != null && opened.containsKey(deployment))
                    walked.add(new Walked(Integer.parseInt(found.group("application")), opened.remove(deployment), moment(line)));
            }
        }
        return walked;
    }

    /// One deployment from opened to ended, in milliseconds.
    record Walked(int application, double opened, double ended) {
        double took() {
            return ended - opened;
        }
    }

    /// A figure of its metrics, summed over what it is counted by; 0 while it starts and nobody answers.
    double figure(String name) throws IOException {
        try (var in = URI.create("http://127.0.0.1:" + admin + "/metrics").toURL().openStream()) {
            var text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            answered = true;
            return text.lines()
                    .filter(line -> line.startsWith(name + "{"))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        } catch (ConnectException notYet) {
            // One that died would look as one that has done all.
            if (answered || !process.isAlive()) throw new IOException("The agent answers no more: " + folder.resolve("piped.out"), notYet);
            return 0;
        }
    }

    /// CPU it and its plugin host have used so far, in milliseconds; also of children that ended, as `git` does.
    double cpu() throws IOException {
        var all = ticks(process.pid());
        for (var child : process.descendants().toList()) all += ticks(child.pid());
        return all * 10;
    }

    /// Own time and that of children that ended: fields 14 to 17.
    private static double ticks(long pid) throws IOException {
        try {
            var stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return Long.parseLong(fields[11]) + Long.parseLong(fields[12]) + Long.parseLong(fields[13]) + Long.parseLong(fields[14]);
        } catch (NoSuchFileException ended) {
            return 0;
        }
    }

    long resident(String field) throws IOException {
        return Starts.resident(process.pid(), field);
    }

    long hostResident(String field) throws IOException {
        return Starts.resident(Starts.pluginHost(process.toHandle()).pid(), field);
    }

    /// A file or folder of its data.
    Path data(String name) {
        return folder.resolve("piped").resolve(name);
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        process.waitFor();
    }
}
