// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import dev.pipecd.agent.document.ConfigFlags;
import dev.pipecd.agent.report.ControlPlaneClient.Security;
import dev.pipecd.config.ConfigException;
import dev.pipecd.config.Loaded;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.launch.CommonFlags;
import dev.pipecd.config.launch.GoFlags;
import dev.pipecd.config.launch.Home;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `piped run`: runs the agent until it is told to stop. `piped piped` is what it was called before
/// there were plugins, and what existing start scripts say.
@Command(name = "run", aliases = "piped", description = "Runs the agent.", sortOptions = false)
final class RunCommand implements Callable<Integer> {
    private static final Logger log = LoggerFactory.getLogger(RunCommand.class);

    private final List<String> pluginHost;

    @Mixin CommonFlags common = new CommonFlags();
    @Mixin ConfigFlags config = new ConfigFlags();

    @Option(
            names = "--insecure",
            arity = "1",
            converter = GoFlags.Booleans.class,
            defaultValue = "false",
            description = "Talk to the control plane without TLS.")
    boolean insecure;

    @Option(
            names = "--cert-file",
            defaultValue = "",
            description = "The certificate to trust (default: those of the system).")
    String certFile = "";

    @Option(
            names = "--admin-port",
            defaultValue = "9085",
            description = "Health, version, metrics, on all interfaces.")
    int adminPort;

    @Option(
            names = "--plugin-service-port",
            defaultValue = "9087",
            description = "Where plugins call the agent, on loopback. 0 is any free port.")
    int pluginServicePort;

    @Option(
            names = "--data-dir",
            defaultValue = "~/.piped/data",
            description = "The agent's journal, mirrors and work folders, of one agent only.")
    Path dataDir = Path.of("");

    @Option(
            names = "--tools-dir",
            defaultValue = "~/.piped/tools",
            description = "Where tools that plugins ask for are installed.")
    Path toolsDir = Path.of("");

    @Option(
            names = "--grace-period",
            defaultValue = "30s",
            converter = GoFlags.Durations.class,
            description =
                    "How long plugins may take to leave when the agent stops; then they are killed. Scripts live on and are adopted.")
    Duration gracePeriod = Duration.ZERO;

    @Option(
            names = "--launcher-version",
            defaultValue = "",
            description = "The version of what started the agent, a label of its metrics.")
    String launcherVersion = "";

    @Option(
            names = "--add-login-user-to-passwd",
            arity = "1",
            converter = GoFlags.Booleans.class,
            defaultValue = "false",
            description =
                    "Add the user the agent runs as to $HOME/passwd, for nss_wrapper on platforms that make up a user (OpenShift).")
    boolean addLoginUserToPasswd;

    @Option(
            names = "--force-plugin-redownload",
            arity = "1",
            converter = GoFlags.Booleans.class,
            defaultValue = "false",
            description = "Fetch plugins again that were fetched before.")
    boolean forcePluginRedownload;

    @Option(
            names = "--enable-default-kubernetes-cloud-provider",
            arity = "1",
            converter = GoFlags.Booleans.class,
            defaultValue = "false",
            description = "Add the deploy target kubernetes-default to the kubernetes plugin.")
    boolean defaultKubernetes;

    @Option(
            names = "--app-manifest-cache-count",
            defaultValue = "150",
            description = "Accepted, without effect.")
    int appManifestCacheCount;

    RunCommand(List<String> pluginHost) {
        this.pluginHost = pluginHost;
    }

    @Override
    public Integer call() throws InterruptedException {
        common.configureLogging();
        try {
            if (addLoginUserToPasswd) LoginUser.add(System.getenv());
            serve(config.load(System.getenv(), Agent.CLOCK));
            return 0;
        } catch (ConfigException mistakes) {
            log.error("{}", mistakes.getMessage());
        } catch (Problem problem) {
            log.error("{}", problem.told());
        } catch (IOException e) {
            log.error(
                    "files of the agent: {} (expected: readable and writable). Check the disk and the"
                            + " permissions of --data-dir.",
                    e.toString());
        }
        return 1;
    }

    private void serve(Loaded<PipedConfig> written) throws InterruptedException, IOException {
        written.warnings().forEach(warning -> log.warn("{}", warning));
        var used =
                defaultKubernetes
                        ? new Loaded<>(
                                written.value().withDefaultKubernetes(),
                                written.warnings(),
                                written.masked())
                        : written;
        var home = new Home(System.getenv());
        var settings =
                new AgentSettings(
                        used,
                        security(),
                        home.resolve(dataDir),
                        adminPort,
                        common.metrics(),
                        new AgentSettings.ForPlugins(
                                pluginHost,
                                pluginServicePort,
                                home.resolve(toolsDir),
                                forcePluginRedownload,
                                gracePeriod),
                        launcherVersion);
        var running = new AtomicReference<>(new Agent(settings));
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform().name("stop").unstarted(() -> running.get().close()));
        while (goesOn(running.get())) running.set(new Agent(settings));
    }

    /// Until another agent acts under this id: then it begins anew, and waits for its turn. After
    /// an ordered restart it does not go on; whoever watches the process starts it again.
    private static boolean goesOn(Agent running) throws InterruptedException {
        try (running) {
            return running.awaitLoss();
        }
    }

    private Security security() {
        if (insecure) return new Security.Plaintext();
        return certFile.isEmpty()
                ? new Security.SystemRoots()
                : new Security.Certificate(Path.of(certFile));
    }
}
