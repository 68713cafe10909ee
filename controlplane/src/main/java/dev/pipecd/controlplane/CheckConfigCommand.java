// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.config.ConfigException;
import dev.pipecd.config.launch.CommonFlags;
import dev.pipecd.config.read.Documents;
import dev.pipecd.domain.Problem;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `pipecd check-config FILE`: tells every mistake of a configuration at once, before a server is
/// started with it.
@Command(
        name = "check-config",
        description = "Reads a control plane's configuration and tells every mistake in it.")
final class CheckConfigCommand implements Callable<Integer> {
    @Mixin CommonFlags common = new CommonFlags();

    @Parameters(
            paramLabel = "FILE",
            description = "The configuration: a path, env:NAME or s3://bucket/key.")
    String file = "";

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
    private CommandSpec spec;

    /// 0 when a server can start with it, 1 when not.
    @Override
    public Integer call() {
        common.configureLogging();
        var out = spec.commandLine().getOut();
        try {
            var loaded = Documents.controlPlane(file, new GivenFile("FILE", file).document());
            loaded.warnings().forEach(w -> out.println("warning: " + w));
            out.println(file + ": valid");
            return 0;
        } catch (ConfigException e) {
            e.mistakes().forEach(m -> out.println(m));
            e.warnings().forEach(w -> out.println("warning: " + w));
            out.println("%s: %d mistake(s)".formatted(file, e.mistakes().size()));
        } catch (Problem e) {
            out.println(e.told());
        }
        return 1;
    }
}
