// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.controlplane.doctor.PortsLook;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Where a server listens.
final class PortFlags {
    @Option(
            names = {"--host", "--address-bind"},
            description = "The interface to listen on (default: all).")
    String host = "";

    @Option(
            names = "--gateway-port",
            defaultValue = "9090",
            description =
                    "gRPC, gRPC-Web and HTTP on one port; not given, it stays closed where another program has it. A port below 0 stays closed, 0 is any free one.")
    int gateway;

    @Option(names = "--piped-api-port", defaultValue = "9080", description = "gRPC for agents.")
    int pipedApi;

    @Option(
            names = "--web-api-port",
            defaultValue = "9081",
            description = "gRPC for the web application.")
    int webApi;

    @Option(
            names = "--http-port",
            defaultValue = "9082",
            description = "Web application and login.")
    int http;

    @Option(
            names = "--api-port",
            defaultValue = "9083",
            description = "gRPC for pipectl and others.")
    int api;

    @Option(
            names = "--admin-port",
            defaultValue = "9085",
            description = "Health, version, metrics.")
    int admin;

    @Option(
            names = "--envoy-authz-port",
            defaultValue = "9086",
            description = "gRPC for an Envoy gateway that asks whether a call comes from an agent.")
    int envoyAuthz;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
    private CommandSpec command;

    ServerOptions.Numbers numbers() {
        return new ServerOptions.Numbers(
                pipedApi,
                webApi,
                http,
                api,
                admin,
                envoyAuthz,
                new ServerOptions.Gateway(gateway, asksForGateway()));
    }

    /// Where it is not given, an Envoy of the public system may stand at its number. Who closes one
    /// of the classic ports counts on it all the same.
    private boolean asksForGateway() {
        return command.commandLine().getParseResult().hasMatchedOption("--gateway-port")
                || IntStream.of(pipedApi, webApi, http, api).anyMatch(port -> port < 0);
    }

    /// @param owners where the owner's pages are to be, told by the configuration; 0 for nowhere
    PortsLook look(int owners, Duration limit) {
        return new PortsLook(
                host,
                List.of(
                        new PortsLook.Port("ops.port", owners),
                        new PortsLook.Port("--gateway-port", gateway, asksForGateway()),
                        new PortsLook.Port("--piped-api-port", pipedApi),
                        new PortsLook.Port("--web-api-port", webApi),
                        new PortsLook.Port("--http-port", http),
                        new PortsLook.Port("--api-port", api),
                        new PortsLook.Port("--admin-port", admin),
                        new PortsLook.Port("--envoy-authz-port", envoyAuthz)),
                admin,
                limit);
    }
}
