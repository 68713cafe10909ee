// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpResponseWriter;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Cookies;
import dev.pipecd.controlplane.access.Sessions;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Changes;
import dev.pipecd.controlplane.change.Pending;
import dev.pipecd.controlplane.change.Streams;
import dev.pipecd.domain.ProjectId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `GET /changes`: tells a browser what changed, as server-sent events it can take up again from
/// its last cursor.
///
/// Live changes are read from the trail too; what is passed on in the process only says that it is
/// time to look. So nothing is sent twice or left out, in whatever order writers tell of their
/// work.
public final class ChangesStream {
    private static final Logger log = LoggerFactory.getLogger(ChangesStream.class);
    private static final int MOST_MISSED = 1_000;
    private static final Duration LOG_PACE = Duration.ofMillis(50);
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);
    private static final Duration SLOWEST_READER = Duration.ofMinutes(1);

    private final Sessions sessions;
    private final Changes changes;
    private final Streams streams;
    private final Duration keepAlive;

    public ChangesStream(Sessions sessions, Changes changes, Streams streams, Duration keepAlive) {
        this.sessions = sessions;
        this.changes = changes;
        this.streams = streams;
        this.keepAlive = keepAlive;
    }

    HttpResponse serve(ServiceRequestContext call, HttpRequest request) {
        return Answers.blocking(call, () -> open(call, request));
    }

    private HttpResponse open(ServiceRequestContext call, HttpRequest request) {
        var token = Cookies.named("token", Answers.cookies(request.headers())).orElse("");
        var session = sessions.find(token);
        if (session.isEmpty())
            return Answers.error(HttpStatus.UNAUTHORIZED, "Log in to follow changes.");
        var cursor = request.headers().get("last-event-id", call.queryParams().get("cursor", ""));
        call.clearRequestTimeout();
        var writer = HttpResponse.streaming();
        writer.write(
                ResponseHeaders.of(
                        HttpStatus.OK,
                        HttpHeaderNames.CONTENT_TYPE,
                        "text/event-stream; charset=utf-8",
                        HttpHeaderNames.CACHE_CONTROL,
                        "no-cache, no-transform",
                        "x-accel-buffering",
                        "no"));
        var person = session.get().person();
        var reader = new Reader(person, token, writer);
        var holder = new Streams.Holder(Streams.Kind.CHANGES, person.project(), token);
        if (!streams.start(holder, () -> reader.run(cursor)))
            return Answers.error(
                    HttpStatus.SERVICE_UNAVAILABLE, "Too many streams. Try again soon.");
        return writer;
    }

    private final class Reader {
        private final ProjectId project;
        private final String token;
        private final HttpResponseWriter writer;
        private final Pending<Hint> pending = new Pending<>(MOST_MISSED, LOG_PACE);
        private volatile Hearing hearing;
        private long at;
        private long spokeAt = System.nanoTime();

        Reader(Caller.Person person, String token, HttpResponseWriter writer) {
            this.project = person.project();
            this.hearing = new Hearing(person);
            this.token = token;
            this.writer = writer;
        }

        void run(String cursor) {
            // Listening begins before the trail is read: what comes between is looked for again.
            try (var _ = changes.listen(this::hear)) {
                begin(cursor);
                pending.add(new Trail());
                while (goesOn()) tell(pending.take(LOOK_AGAIN));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ReaderGone e) {
                log.debug("a browser left");
            } catch (RuntimeException e) {
                log.error("a stream of changes failed; the browser will ask again", e);
            } finally {
                writer.close();
            }
        }

        /// As long as the session does; a change of its roles holds from the next look on.
        private boolean goesOn() {
            var session = sessions.find(token);
            session.ifPresent(found -> hearing = new Hearing(found.person()));
            return session.isPresent();
        }

        private void hear(Change change) {
            if (!change.project().equals(project)) return;
            if (hearing.name(change.kind()).isEmpty()) return;
            pending.add(
                    switch (change.kind()) {
                        case STAGE_LOG, LIVE_STATE ->
                                new Passing(change.kind(), change.id(), change.stage());
                        default -> new Trail();
                    });
        }

        private void begin(String text) throws InterruptedException {
            var latest = changes.latest();
            var asked = parsed(text);
            var known = asked.isPresent() && asked.getAsLong() <= latest;
            at = known ? asked.getAsLong() : latest;
            send(event("hello", at, "{\"cursor\":" + at + "}"));
            if (!known && !text.isEmpty()) reset();
        }

        private void tell(Pending.Batch<Hint> batch) throws InterruptedException {
            var text = new StringBuilder();
            if (batch.overflown()) reset();
            if (batch.hints().contains(new Trail())) text.append(missed());
            for (var hint : batch.hints())
                if (hint instanceof Passing(var kind, var id, var stage))
                    hearing.name(kind).ifPresent(name -> text.append(change(name, id, stage)));
            if (!text.isEmpty()) send(text.toString());
            else if (System.nanoTime() - spokeAt >= keepAlive.toNanos()) send(": keep-alive\n\n");
        }

        private String missed() throws InterruptedException {
            var missed = changes.since(project, at, MOST_MISSED + 1);
            if (missed.size() > MOST_MISSED) {
                reset();
                return "";
            }
            var text = new StringBuilder();
            for (var change : missed) {
                at = change.cursor();
                hearing.name(change.kind())
                        .ifPresent(name -> text.append(change(name, change.id(), change.stage())));
            }
            return text.toString();
        }

        /// Too much to tell one by one: the browser reads everything it shows again.
        private void reset() throws InterruptedException {
            at = changes.latest();
            send(event("reset", at, "{\"cursor\":" + at + "}"));
        }

        private String change(String kind, String id, String stage) {
            var fields = new LinkedHashMap<String, String>();
            fields.put("kind", kind);
            fields.put("id", id);
            fields.put("stage", stage);
            return event("change", at, Answers.text(fields));
        }

        /// Waits until the reader took it, so that nothing heaps up here.
        private void send(String text) throws InterruptedException {
            if (!writer.tryWrite(HttpData.ofUtf8(text))) throw new ReaderGone();
            Future<Void> taken = writer.whenConsumed();
            try {
                taken.get(SLOWEST_READER.toSeconds(), TimeUnit.SECONDS);
            } catch (ExecutionException | TimeoutException e) {
                throw new ReaderGone();
            }
            spokeAt = System.nanoTime();
        }
    }

    private static String event(String name, long cursor, String data) {
        return "event: " + name + "\nid: " + cursor + "\ndata: " + data + "\n\n";
    }

    private static OptionalLong parsed(String cursor) {
        try {
            var number = Long.parseLong(cursor);
            return number < 0 ? OptionalLong.empty() : OptionalLong.of(number);
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    private sealed interface Hint {}

    /// The trail has grown.
    private record Trail() implements Hint {}

    /// Not kept in the trail: told now or never.
    private record Passing(Change.Kind kind, String id, String stage) implements Hint {}

    private static final class ReaderGone extends RuntimeException {
        private static final long serialVersionUID = 1;

        ReaderGone() {
            super("the reader is gone", null, false, false);
        }
    }
}
