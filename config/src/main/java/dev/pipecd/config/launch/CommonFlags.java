// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.launch;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// The flags every program of the public system has.
public final class CommonFlags {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command = CommandSpec.create();

    @Option(
            names = "--log-level",
            converter = GoFlags.Levels.class,
            defaultValue = "info",
            description = "debug, info, warn, error, dpanic, panic or fatal.")
    private String logLevel = "";

    @Option(
            names = "--log-encoding",
            defaultValue = "humanize",
            description = "humanize, console or json.")
    private Logging.Encoding logEncoding = Logging.Encoding.humanize;

    @Option(
            names = "--metrics",
            arity = "1",
            converter = GoFlags.Booleans.class,
            defaultValue = "true",
            description = "Tell metrics on the admin port.")
    private boolean metrics;

    @Option(
            names = "--profile",
            arity = "1",
            converter = GoFlags.Booleans.class,
            defaultValue = "false",
            description = "Accepted; profiles are not uploaded.")
    private boolean profile;

    @Option(
            names = "--profile-debug-logging",
            arity = "1",
            converter = GoFlags.Booleans.class,
            defaultValue = "false",
            description = "Accepted, without effect.")
    private boolean profileDebugLogging;

    @Option(
            names = "--profiler-credentials-file",
            defaultValue = "",
            description = "Accepted, without effect.")
    private String profilerCredentialsFile = "";

    /// Before anything else speaks.
    public void configureLogging() {
        Logging.configure(logLevel, logEncoding, command.qualifiedName("."), Version.text());
    }

    public boolean metrics() {
        return metrics;
    }
}
