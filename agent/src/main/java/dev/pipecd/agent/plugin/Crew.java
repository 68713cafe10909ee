// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.agent.plugin.callback.CallbackDoor;
import dev.pipecd.agent.plugin.callback.CallerGate;
import dev.pipecd.agent.plugin.callback.PluginService;
import dev.pipecd.agent.plugin.callback.SupervisionDoor;
import dev.pipecd.agent.plugin.fetch.Programs;
import dev.pipecd.agent.plugin.supervise.Changes;
import dev.pipecd.agent.plugin.supervise.ExternalProgram;
import dev.pipecd.agent.plugin.supervise.HostProgram;
import dev.pipecd.agent.plugin.supervise.PluginDialer;
import dev.pipecd.agent.plugin.supervise.PluginLine;
import dev.pipecd.agent.plugin.supervise.ProcessFiles;
import dev.pipecd.agent.plugin.supervise.Program;
import dev.pipecd.agent.plugin.supervise.Supervisor;
import dev.pipecd.agent.process.SocketOwners;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.plugin.supervision.SourceUse;
import io.grpc.BindableService;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Every plugin with the process it lives in: the built-in ones share a host, the others have one
/// each. What becomes of one does not touch the others.
final class Crew
        implements SupervisionDoor.Listener,
                CallerGate.Acquaintances,
                CallbackDoor.Waiting,
                AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Crew.class);

    private final PluginSettings settings;
    private final Programs programs;
    private final PluginDialer dialer;
    private final Map<String, PluginLine> lines = new LinkedHashMap<>();
    private final Map<String, Supervisor> byPlugin = new LinkedHashMap<>();
    private final List<Supervisor> processes = new ArrayList<>();
    private final Map<String, Programs.Program> brought = new HashMap<>();
    private final Changes changes = new Changes();
    private @Nullable PluginService service;

    Crew(PluginSettings settings, Programs programs, PluginDialer dialer) {
        this.settings = settings;
        this.programs = programs;
        this.dialer = dialer;
        var shared = new ArrayList<PipedConfig.Plugin>();
        for (var plugin : settings.plugins()) {
            if (plugin.builtin().isEmpty()) enlist(external(plugin), List.of(plugin));
            else if (plugin.running().isolate())
                enlist(host("plugin-host-" + plugin.name(), List.of(plugin)), List.of(plugin));
            else shared.add(plugin);
        }
        if (!shared.isEmpty()) enlist(host("plugin-host", shared), shared);
        if (!standIns().isEmpty() && standIns().size() < settings.plugins().size())
            log.info(
                    "plugins {} are built in and not named; a plugin that is named and offers their stages comes first",
                    standIns());
    }

    private void enlist(Program program, List<PipedConfig.Plugin> plugins) {
        var ofProcess = new LinkedHashMap<String, PluginLine>();
        for (var plugin : plugins)
            ofProcess.put(
                    plugin.name(),
                    new PluginLine(plugin.name(), program.logName(), settings.notifier(), changes));
        var timing =
                program instanceof HostProgram ? settings.timing() : settings.timing().forOthers();
        var supervisor = new Supervisor(program, dialer, ofProcess, timing);
        processes.add(supervisor);
        lines.putAll(ofProcess);
        ofProcess.keySet().forEach(name -> byPlugin.put(name, supervisor));
    }

    private HostProgram host(String stem, List<PipedConfig.Plugin> plugins) {
        return new HostProgram(
                settings.hostCommand(),
                plugins,
                dialer.token(),
                this::address,
                new ProcessFiles(settings.dataDirectory(), stem));
    }

    private ExternalProgram external(PipedConfig.Plugin plugin) {
        return new ExternalProgram(
                plugin,
                () -> {
                    var program = program(plugin);
                    return new ExternalProgram.Found(program.file(), program.checksum().brief());
                },
                () -> address().replace("127.0.0.1", "localhost"),
                dialer,
                new ProcessFiles(settings.dataDirectory(), "process-" + plugin.name()),
                settings.timing().forOthers().silence().dividedBy(4));
    }

    /// A plugin that ends in mid-stage goes on as the program it was, whatever its tag or file is
    /// by now. One that was never up, or is given up, may be mended by another.
    private Programs.Program program(PipedConfig.Plugin plugin)
            throws IOException, InterruptedException {
        var line = line(plugin.name());
        if (line.wasUp() && !line.isSettled()) {
            var same = programs.again(plugin, before(plugin.name()));
            if (same.isPresent()) return same.get();
        }
        var program = programs.bring(plugin, line::doing);
        brought(plugin.name(), program);
        return program;
    }

    private Optional<Programs.Program> before(String plugin) {
        synchronized (brought) {
            return Optional.ofNullable(brought.get(plugin));
        }
    }

    /// What was fetched for an older configuration is taken away when all of this one is here.
    private void brought(String plugin, Programs.Program program) {
        synchronized (brought) {
            brought.put(plugin, program);
            if (settings.plugins().stream()
                    .anyMatch(p -> p.builtin().isEmpty() && !brought.containsKey(p.name()))) return;
            try {
                programs.tidy(settings.plugins(), brought.values());
            } catch (IOException e) {
                log.warn("programs that are not used any more stay behind", e);
            }
        }
    }

    /// Opens the plugin service and starts every process; does not wait for them.
    void start(Executor executor, List<BindableService> doors) {
        service =
                PluginService.open(
                        settings.servicePort(),
                        new CallerGate(dialer.token(), this),
                        executor,
                        doors);
        Thread.ofVirtual().name("plugins").start(this::startProcesses);
    }

    /// What an earlier life of the agent left is gone before anything new may stand beside it.
    private void startProcesses() {
        try {
            ProcessFiles.endLeftBehind(settings.dataDirectory());
            programs.sweep();
        } catch (IOException e) {
            log.warn("what an earlier run left behind cannot be looked for", e);
        }
        processes.forEach(Supervisor::start);
    }

    /// In the order of the configuration.
    List<PluginLine> lines() {
        return settings.plugins().stream().map(plugin -> line(plugin.name())).toList();
    }

    /// What became of any of them.
    Changes changes() {
        return changes;
    }

    /// Built-ins that nobody named.
    List<String> standIns() {
        return settings.plugins().stream()
                .filter(plugin -> plugin.running().standsIn())
                .map(PipedConfig.Plugin::name)
                .toList();
    }

    List<String> serving(String platform) {
        return settings.plugins().stream()
                .filter(plugin -> plugin.serves(platform))
                .map(PipedConfig.Plugin::name)
                .toList();
    }

    /// Whether its stages go on where they were when they are called again: those made with our SDK
    /// do, wherever they come from.
    boolean carriesOn(String plugin) {
        return supervisor(plugin).isAttended();
    }

    PluginLine line(String plugin) {
        var line = lines.get(plugin);
        if (line == null) throw unknown(plugin);
        return line;
    }

    Supervisor supervisor(String plugin) {
        var supervisor = byPlugin.get(plugin);
        if (supervisor == null) throw unknown(plugin);
        return supervisor;
    }

    private Problem unknown(String plugin) {
        return new Problem(
                Problem.Code.PLUGIN_UNKNOWN,
                "plugin: \"%s\" (expected: one of %s)".formatted(plugin, lines.keySet()),
                "Add it to `plugins` of the agent's configuration.");
    }

    @Override
    public void ready(
            String plugin,
            String version,
            int port,
            List<String> mistakes,
            Map<String, SourceUse> reads) {
        // Before it is up: its first stage would get more than it reads.
        line(plugin).reads(reads);
        supervisor(plugin).ready(plugin, version, port, mistakes);
    }

    @Override
    public void ping(String plugin) {
        supervisor(plugin).ping();
    }

    @Override
    public void notOffered(String plugin, String builtin, List<String> offered) {
        supervisor(plugin).notOffered(plugin, builtin, offered);
    }

    /// Whoever an earlier agent left behind, or anybody else on this machine, is none of these.
    @Override
    public boolean holds(int theirPort, int ourPort) {
        return processes.stream().anyMatch(process -> holds(process, theirPort, ourPort));
    }

    private static boolean holds(Supervisor process, int theirPort, int ourPort) {
        return process.running().stream()
                .anyMatch(session -> SocketOwners.connected(session, theirPort, ourPort));
    }

    @Override
    public <T> T during(int theirPort, String what, Supplier<T> work) {
        var ourPort = service == null ? 0 : service.port();
        for (var process : processes)
            if (holds(process, theirPort, ourPort)) return process.helped(what, work);
        return work.get();
    }

    /// Where plugins call the agent.
    String address() {
        return service == null ? "" : "127.0.0.1:" + service.port();
    }

    @Override
    public void close() {
        var leaving =
                processes.stream()
                        .map(supervisor ->
                                Thread.ofVirtual().name("plugin-end").start(supervisor::close))
                        .toList();
        try {
            for (var thread : leaving) thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        lines.values().forEach(PluginLine::close);
        // Last, so that plugins can still hand over their last lines.
        if (service != null) service.close();
    }
}
