// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import com.google.protobuf.Message;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.delivery.DeliveryServiceGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Function;

/// A control plane's public API that answers what it was told to and remembers what it was asked.
final class RecordingApiService {
    private final Map<Class<?>, Queue<Object>> answers = new HashMap<>();
    private final List<Message> requests = new ArrayList<>();
    private boolean ours;

    /// As the public control plane is: without the service that is ours.
    static RecordingApiService publicOne() {
        return new RecordingApiService();
    }

    static RecordingApiService ours() {
        var api = new RecordingApiService();
        api.ours = true;
        return api;
    }

    /// To requests of this type: these messages, refusals (a `Status`) or what these functions make
    /// of the request, one after the other; the last one again and again.
    synchronized RecordingApiService answer(Class<? extends Message> request, Object... inTurn) {
        answers.put(request, new ArrayDeque<>(Arrays.asList(inTurn)));
        return this;
    }

    synchronized List<Message> requests() {
        return List.copyOf(requests);
    }

    synchronized <Q extends Message> List<Q> requests(Class<Q> type) {
        return requests.stream().filter(type::isInstance).map(type::cast).toList();
    }

    List<ServerServiceDefinition> services() {
        var api = definition(APIServiceGrpc.getServiceDescriptor());
        return ours
                ? List.of(api, definition(DeliveryServiceGrpc.getServiceDescriptor()))
                : List.of(api);
    }

    private ServerServiceDefinition definition(ServiceDescriptor service) {
        var definition = ServerServiceDefinition.builder(service);
        for (var method : service.getMethods()) {
            @SuppressWarnings("unchecked") // every method of ours takes and gives messages
            var typed = (MethodDescriptor<Message, Message>) method;
            definition.addMethod(typed, ServerCalls.asyncUnaryCall(this::give));
        }
        return definition.build();
    }

    private void give(Message request, StreamObserver<Message> caller) {
        switch (next(request)) {
            case Status refusal -> caller.onError(refusal.asRuntimeException());
            case Message answer -> {
                caller.onNext(answer);
                caller.onCompleted();
            }
            case Object other -> throw new AssertionError("no answer: " + other);
        }
    }

    private synchronized Object next(Message request) {
        requests.add(request);
        var inTurn = answers.getOrDefault(request.getClass(), new ArrayDeque<>());
        if (inTurn.isEmpty())
            return Status.INVALID_ARGUMENT.withDescription( // of those nobody tries again
                    "the test gave no answer to " + request.getClass());
        var answer = inTurn.size() > 1 ? inTurn.remove() : inTurn.element();
        return answer instanceof Function<?, ?> made ? applied(made, request) : answer;
    }

    @SuppressWarnings("unchecked") // the function was given together with the type of its request
    private static Object applied(Function<?, ?> made, Message request) {
        return ((Function<Message, Object>) made).apply(request);
    }
}
