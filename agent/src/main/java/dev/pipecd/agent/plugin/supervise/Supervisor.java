// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import dev.pipecd.agent.process.ProcessGroup;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/// Keeps one process of plugins alive: starts it, minds its signs of life, starts it again.
public final class Supervisor implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Supervisor.class);
    private static final long LOOK_EVERY_MS = 200;
    private static final int LONGEST_LINE = 300;

    /// Two tools that take as long as they may.
    private static final Duration MOST_HELP = Duration.ofMinutes(20);

    private static final String STARTING = "starting";
    private static final String CORRECT =
            "Correct it in the agent's `plugins:` and restart the agent. The other plugins run.";

    private final Program program;
    private final PluginDialer dialer;
    private final Map<String, PluginLine> lines;
    private final Timing timing;
    private final Restarts restarts;
    private final Help help = new Help(MOST_HELP.toNanos());
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Set<String> ready = new HashSet<>();
    private final Set<String> notOffered = new HashSet<>();
    private @Nullable ProcessGroup process;
    private @Nullable Thread thread;
    private @Nullable Problem refusal;
    private volatile long signOfLife;
    private volatile long readySince;
    private long began;
    private volatile int ends;
    private volatile boolean attended;
    private String said = "";

    public Supervisor(
            Program program, PluginDialer dialer, Map<String, PluginLine> lines, Timing timing) {
        this.program = program;
        this.dialer = dialer;
        this.lines = Map.copyOf(lines);
        this.timing = timing;
        this.restarts = new Restarts(timing);
    }

    public synchronized void start() {
        if (closing.getCount() == 0) return;
        thread = Thread.ofVirtual().name("plugin-supervisor").start(this::supervise);
    }

    /// The process, while one runs.
    public synchronized OptionalLong running() {
        return process == null ? OptionalLong.empty() : OptionalLong.of(process.id());
    }

    /// Whether it has told by itself that it is there, as plugins made with our SDK do.
    public boolean isAttended() {
        return attended;
    }

    /// How often it has ended.
    public int ends() {
        return ends;
    }

    /// A plugin of ours says that it listens.
    public void ready(String plugin, String version, int port, List<String> mistakes) {
        attended = true;
        // It is known where one of somebody else listens, and asked there.
        if (!(program instanceof HostProgram)) ping();
        else if (mistakes.isEmpty()) up(plugin, version, dialer.dial(port));
        else refuses(plugin, dialer.dial(port), String.join("; ", mistakes));
    }

    void up(String plugin, String version, PluginDialer.Connection connection) {
        var stages = connection.stages();
        if (settled(plugin, connection, line -> line.up(connection.channel(), version, stages)))
            log.info("plugin is ready name={} version={} stages={}", plugin, version, stages);
    }

    private void refuses(String plugin, PluginDialer.Connection connection, String why) {
        connection.channel().shutdownNow();
        if (settled(plugin, connection, line -> line.refuses(connection.stages(), why, CORRECT)))
            log.warn("plugin {} does nothing: {}. {}", plugin, why, CORRECT);
    }

    /// Whether the news is of the process that runs now.
    private boolean settled(
            String plugin, PluginDialer.Connection connection, Consumer<PluginLine> news) {
        var line = line(plugin);
        synchronized (this) {
            // A process that died while it said this is not taken for its successor.
            if (process == null || !process.process().isAlive()) {
                connection.channel().shutdownNow();
                return false;
            }
            news.accept(line);
            ready.add(plugin);
            ping();
            readySince = signOfLife;
            return true;
        }
    }

    public void ping() {
        signOfLife = System.nanoTime();
    }

    /// The process waits for something the agent does: not ready meanwhile, it is not to blame.
    ///
    /// @param what for what it waits
    public <T> T helped(String what, Supplier<T> work) {
        var begun = help.begin(System.nanoTime());
        doing(what, "");
        @Nullable Problem refused = null;
        try {
            return work.get();
        } catch (Problem e) {
            refused = e;
            throw e;
        } finally {
            if (help.end(begun, System.nanoTime())) goesOn(refused);
        }
    }

    /// One that cannot be ready without what it was refused is told by that.
    private synchronized void goesOn(@Nullable Problem refused) {
        refusal = refused;
        if (refused == null) doing(STARTING, "");
        else doing(STARTING + "; " + refused.message(), refused.advice());
    }

    /// Of those who have said how they are that stands.
    private synchronized void doing(String what, String advice) {
        lines.forEach((plugin, line) -> {
            if (!ready.contains(plugin) && !notOffered.contains(plugin)) line.doing(what, advice);
        });
    }

    /// For how long, in all, the agent did something that the process waited for.
    public Duration timeHelped() {
        return Duration.ofNanos(help.helped(System.nanoTime()));
    }

    /// The host has no such built-in; the others are not to suffer for it.
    public void notOffered(String plugin, String builtin, List<String> offered) {
        line(plugin)
                .missing(
                        "builtin: \"%s\" (expected: one of %s)"
                                .formatted(builtin, String.join(", ", offered)),
                        "This version has no such built-in plugin: name a plugin's program in `url`, or take the entry"
                                + " out. The other plugins run.");
        synchronized (this) {
            notOffered.add(plugin);
            ping();
        }
    }

    private PluginLine line(String plugin) {
        var line = lines.get(plugin);
        if (line != null) return line;
        throw new Problem(
                Problem.Code.PLUGIN_UNKNOWN,
                "plugin: \"%s\" (expected: one of %s)".formatted(plugin, lines.keySet()),
                "");
    }

    private void supervise() {
        try {
            while (closing.getCount() > 0) {
                began = System.nanoTime();
                var end = runGuarded();
                if (closing.getCount() == 0 || hasNothingToDo()) return;
                ends++;
                settle(end);
            }
        } catch (InterruptedException e) {
            log.debug("plugin supervision is interrupted", e);
        }
    }

    /// Tells why the process ended, and waits before it is started again.
    private void settle(End end) throws InterruptedException {
        var ended = System.nanoTime();
        var lastSign = end.stuck() ? signOfLife : ended;
        var pause =
                restarts.after(
                        new Restarts.Run(began, lastSign, ended, end.wasReady(), end.stuck()));
        var hopeless = restarts.hopeless();
        var why =
                hopeless
                        ? "%s ends again and again; last: %s".formatted(program.title(), end.why())
                        : "%s %s and is started again".formatted(program.title(), end.why());
        var mend =
                end.advice().isEmpty()
                        ? "Read the `%s` lines of the agent's log and mend the cause"
                                .formatted(program.logName())
                        : end.advice().replaceFirst("\\.$", "");
        var advice =
                hopeless
                        ? "%s; it is tried again every %d s.".formatted(mend, pause.toSeconds())
                        : end.advice();
        down(why, advice, hopeless);
        // What does not change is said once.
        log.atLevel(why.equals(said) ? Level.DEBUG : Level.WARN)
                .log(
                        "{} of {} {} next-start-in={}ms last-lines={} {}",
                        program.title(),
                        lines.keySet(),
                        end.why(),
                        pause.toMillis(),
                        end.lastLines(),
                        advice);
        said = why;
        var _ = closing.await(pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    private synchronized void down(String why, String advice, boolean hopeless) {
        lines.forEach((name, line) -> {
            if (!notOffered.contains(name)) line.down(why, advice, hopeless);
        });
    }

    /// Whatever breaks in here, supervision goes on: without it no plugin ever comes back.
    private End runGuarded() throws InterruptedException {
        try {
            return run();
        } catch (Problem problem) {
            return End.beforeStart("cannot be started: " + problem.message(), problem.advice());
        } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
            log.error("supervision of {} broke", program.title(), e);
            return End.beforeStart("cannot be supervised: " + e, "");
        }
    }

    private End run() throws InterruptedException {
        ProcessGroup group;
        List<String> argv;
        try {
            argv = program.prepare();
            synchronized (this) {
                if (closing.getCount() == 0) return End.beforeStart("was not started", "");
                ready.clear();
                notOffered.clear();
                refusal = null;
                lines.values().forEach(PluginLine::startsAnew);
                var files = program.files();
                group = ProcessGroup.start(files.recorded(argv), files.environment(), Set.of());
                process = group;
                // What it took to fetch it is no part of its life.
                began = System.nanoTime();
                help.restart(began);
                ping();
            }
        } catch (IOException e) {
            return End.beforeStart(
                    "cannot be started: " + e,
                    "Check that `setsid` (of util-linux) and a shell are on the agent's PATH, that the machine has memory and processes left, and that the agent's data directory can be written.");
        }
        var output = new ProcessOutput(group.process(), program.logName());
        try {
            var stuck = watch(group);
            group.kill();
            var exit = group.process().waitFor();
            var last = output.lastLines();
            var why = stuck.isEmpty() ? exited(exit, argv, last) : stuck;
            var advice = refused().map(Problem::advice).orElse("");
            return new End(why, advice, last, isReady(), !stuck.isEmpty());
        } finally {
            group.kill();
            synchronized (this) {
                process = null;
                help.restart(System.nanoTime());
            }
        }
    }

    /// Comes back when the process has ended, or with the reason why it must be ended.
    private String watch(ProcessGroup group) throws InterruptedException {
        while (!group.process().waitFor(untilNextLook(), TimeUnit.MILLISECONDS)) {
            program.look(group, this);
            var now = System.nanoTime();
            if (!isReady() && help.alone(now) > timing.readyWithin().toNanos())
                return "was not ready within %d s%s"
                        .formatted(
                                timing.readyWithin().toSeconds(),
                                refused().map(why -> "; " + why.message()).orElse(""));
            if (isReady() && now - signOfLife > timing.silence().toNanos())
                return "gave no sign of life for %d s".formatted(timing.silence().toSeconds());
            if (hasNothingToDo()) return "has no plugin to serve";
            if (isReady() && restarts.recovered(readySince, signOfLife))
                lines.values().forEach(PluginLine::recovered);
        }
        return "";
    }

    /// What the agent did not do for a process that is not ready.
    private synchronized Optional<Problem> refused() {
        return isReady() ? Optional.empty() : Optional.ofNullable(refusal);
    }

    /// Its end is noticed at once all the same; a quiet process should cost nothing.
    private long untilNextLook() {
        return isReady() ? timing.silence().dividedBy(10).toMillis() : LOOK_EVERY_MS;
    }

    private static String exited(int exit, List<String> argv, List<String> last) {
        if (exit > 128) return "was killed by signal " + (exit - 128);
        var how = "ended with exit code " + exit;
        // 126 and 127: the program itself could not be run.
        if (exit == 126 || exit == 127)
            return how + " " + new Executable(argv.getFirst()).described();
        return last.isEmpty() ? how : how + ": \"" + brief(last.getLast()) + "\"";
    }

    private static String brief(String line) {
        return line.length() <= LONGEST_LINE ? line : line.substring(0, LONGEST_LINE) + "…";
    }

    private synchronized boolean isReady() {
        return ready.size() + notOffered.size() == lines.size();
    }

    private synchronized boolean hasNothingToDo() {
        return notOffered.size() == lines.size();
    }

    /// Asks the process to leave, then kills what is left of it.
    @Override
    public void close() {
        ProcessGroup running;
        Thread supervising;
        synchronized (this) {
            closing.countDown();
            running = process;
            supervising = thread;
        }
        if (running != null) running.end(timing.grace());
        // It may be fetching a program, which nobody waits for any more.
        else if (supervising != null) supervising.interrupt();
        try {
            if (supervising != null) supervising.join();
            program.files().forget();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            log.warn("files of {} stay behind", program.title(), e);
        }
    }

    /// How a run of the process ended.
    ///
    /// @param stuck whether it had to be ended
    private record End(
            String why, String advice, List<String> lastLines, boolean wasReady, boolean stuck) {
        static End beforeStart(String why, String advice) {
            return new End(why, advice, List.of(), false, false);
        }
    }
}
