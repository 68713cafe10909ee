// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.door;

import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/// One public service made of several doors, each of which answers the RPCs it overrides.
public final class JoinedService implements BindableService {
    private final List<BindableService> doors;

    public JoinedService(List<BindableService> doors) {
        this.doors = List.copyOf(doors);
    }

    @Override
    public ServerServiceDefinition bindService() {
        var definitions = doors.stream().map(BindableService::bindService).toList();
        var service = definitions.getFirst().getServiceDescriptor();
        var joined = ServerServiceDefinition.builder(service);
        for (var method : service.getMethods()) {
            var name = Objects.requireNonNull(method.getBareMethodName());
            var answering = doors.stream().filter(door -> answers(door, name)).toList();
            if (answering.size() > 1)
                throw new IllegalStateException(
                        "%s: answered by %s (expected: one door)".formatted(name, answering));
            // nobody's RPC is still answered, with UNIMPLEMENTED
            var door = answering.isEmpty() ? 0 : doors.indexOf(answering.getFirst());
            joined.addMethod(definitions.get(door).getMethod(method.getFullMethodName()));
        }
        return joined.build();
    }

    private static boolean answers(BindableService door, String rpc) {
        var method = rpc.substring(0, 1).toLowerCase(Locale.ROOT) + rpc.substring(1);
        return Arrays.stream(door.getClass().getDeclaredMethods())
                .anyMatch(m -> m.getName().equals(method));
    }
}
