// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.pipecd.config.launch.RequestScope;
import dev.pipecd.controlplane.server.Faults;
import dev.pipecd.controlplane.server.RequestIds;
import dev.pipecd.domain.Problem;
import io.grpc.Context;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/// How pages read a request and answer it: blocking, on a virtual thread, bounded.
final class Answers {
    static final ObjectMapper JSON = new ObjectMapper();

    private Answers() {}

    static HttpResponse blocking(ServiceRequestContext call, Page page) {
        var id = RequestIds.of(call);
        return HttpResponse.of(
                () -> RequestScope.call(id, () -> answered(page)), call.blockingTaskExecutor());
    }

    private static HttpResponse answered(Page page) {
        try {
            return page.answer();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return error(HttpStatus.SERVICE_UNAVAILABLE, "The server is stopping.");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ContentTooLargeException)
                return error(
                        HttpStatus.REQUEST_ENTITY_TOO_LARGE,
                        "The request body is larger than allowed here.");
            return error(HttpStatus.BAD_REQUEST, "The request was cut short.");
        } catch (Problem e) {
            return refused(e);
        } catch (RuntimeException e) {
            return error(
                    HttpStatus.INTERNAL_SERVER_ERROR,
                    String.valueOf(Faults.told(e).getDescription()));
        }
    }

    /// With the status of its kind; what only the log may tell stays there.
    static HttpResponse refused(Problem problem) {
        var status =
                switch (problem.code().kind()) {
                    case INVALID -> HttpStatus.BAD_REQUEST;
                    case UNAUTHENTICATED -> HttpStatus.UNAUTHORIZED;
                    case DENIED -> HttpStatus.FORBIDDEN;
                    case NOT_FOUND -> HttpStatus.NOT_FOUND;
                    case EXISTS, CONFLICT -> HttpStatus.CONFLICT;
                    case EXHAUSTED -> HttpStatus.TOO_MANY_REQUESTS;
                    case UNAVAILABLE -> HttpStatus.SERVICE_UNAVAILABLE;
                    case INTERNAL -> HttpStatus.INTERNAL_SERVER_ERROR;
                };
        return error(status, String.valueOf(Faults.told(problem).getDescription()));
    }

    /// The whole body; its route says how large it may be.
    static AggregatedHttpRequest body(HttpRequest request)
            throws InterruptedException, ExecutionException {
        Future<AggregatedHttpRequest> body = request.aggregate();
        return body.get();
    }

    static HttpResponse error(HttpStatus status, String text) {
        return json(status, Map.of("error", text));
    }

    static HttpResponse json(HttpStatus status, Map<String, ?> fields) {
        return HttpResponse.of(status, MediaType.JSON_UTF_8, text(fields));
    }

    static String text(Map<String, ?> fields) {
        try {
            return JSON.writeValueAsString(fields);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /// HTTP/2 may send cookies in several headers.
    static String cookies(RequestHeaders headers) {
        return String.join(";", headers.getAll(HttpHeaderNames.COOKIE));
    }

    /// What is done there is told to come from where the context says.
    static <T> T within(Context context, Work<T> work)
            throws InterruptedException, ExecutionException {
        var before = context.attach();
        try {
            return work.done();
        } finally {
            context.detach(before);
        }
    }

    interface Work<T> {
        T done() throws InterruptedException, ExecutionException;
    }

    interface Page {
        HttpResponse answer() throws InterruptedException, ExecutionException;
    }
}
