// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
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
import dev.pipecd.controlplane.audit.AuditEntry;
import dev.pipecd.controlplane.audit.AuditFilter;
import dev.pipecd.controlplane.audit.AuditLog;
import dev.pipecd.controlplane.change.Origin;
import dev.pipecd.controlplane.change.Streams;
import dev.pipecd.controlplane.paging.Page;
import dev.pipecd.domain.Problem;
import java.util.LinkedHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `GET /audit.jsonl`: the deeds of a project as lines of JSON, newest first, to be kept elsewhere.
public final class AuditExport {
    private static final Logger log = LoggerFactory.getLogger(AuditExport.class);
    private static final int PAGE = 500;
    private static final long SLOWEST_READER_SECONDS = 60;

    private final Sessions sessions;
    private final AuditLog audit;
    private final Streams streams;

    public AuditExport(Sessions sessions, AuditLog audit, Streams streams) {
        this.sessions = sessions;
        this.audit = audit;
        this.streams = streams;
    }

    HttpResponse serve(ServiceRequestContext call, HttpRequest request) {
        return Answers.blocking(call, () -> open(call, request));
    }

    private HttpResponse open(ServiceRequestContext call, HttpRequest request) {
        var token = Cookies.named("token", Answers.cookies(request.headers())).orElse("");
        var session = sessions.find(token);
        if (session.isEmpty())
            return Answers.error(HttpStatus.UNAUTHORIZED, "Log in to export the audit log.");
        var person = session.get().person();
        var query = call.queryParams();
        try {
            var filter =
                    new AuditFilter(
                            person.project(),
                            query.get("actor", ""),
                            query.get("kind", ""),
                            query.get("subject", ""),
                            query.getAll("via").stream().map(Origin.Via::valueOf).toList(),
                            Long.parseLong(query.get("from", "0")),
                            Long.parseLong(query.get("to", "0")));
            var first = audit.page(person, filter, "", PAGE);
            call.clearRequestTimeout();
            var writer = HttpResponse.streaming();
            writer.write(
                    ResponseHeaders.of(
                            HttpStatus.OK,
                            HttpHeaderNames.CONTENT_TYPE,
                            "application/jsonl; charset=utf-8",
                            HttpHeaderNames.CONTENT_DISPOSITION,
                            "attachment; filename=\"audit.jsonl\"",
                            HttpHeaderNames.CACHE_CONTROL,
                            "no-store"));
            var holder = new Streams.Holder(Streams.Kind.EXPORT, person.project(), token);
            if (streams.start(holder, () -> write(person, filter, first, writer))) return writer;
            return Answers.error(
                    HttpStatus.SERVICE_UNAVAILABLE, "Too many streams. Try again soon.");
        } catch (Problem e) {
            return Answers.refused(e);
        } catch (IllegalArgumentException e) {
            return Answers.error(
                    HttpStatus.BAD_REQUEST,
                    "from, to: Unix seconds are expected; via: WEB, API, SERVER or AGENT.");
        }
    }

    /// A page at a time, each when the reader has taken the one before.
    private void write(
            Caller person, AuditFilter filter, Page<AuditEntry> first, HttpResponseWriter writer) {
        try {
            var page = first;
            while (true) {
                var lines = new StringBuilder();
                for (var entry : page.items()) lines.append(line(entry)).append('\n');
                if (!writer.tryWrite(HttpData.ofUtf8(lines.toString()))) return;
                Future<Void> taken = writer.whenConsumed();
                taken.get(SLOWEST_READER_SECONDS, TimeUnit.SECONDS);
                if (page.cursor().isEmpty()) break;
                page = audit.page(person, filter, page.cursor(), PAGE);
            }
            writer.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            writer.close(e);
        } catch (ExecutionException | TimeoutException e) {
            log.debug("the reader of an audit log left");
            writer.close(e);
        } catch (RuntimeException e) {
            log.error("the export of an audit log broke off; it is to be asked for again", e);
            writer.close(e);
        }
    }

    private static String line(AuditEntry entry) {
        var change = entry.change();
        var fields = new LinkedHashMap<String, Object>();
        fields.put("sequence", change.cursor());
        fields.put("at", change.at().toString());
        fields.put("actor", change.actor());
        fields.put("via", entry.origin().via().name());
        fields.put("from", entry.origin().address());
        fields.put("request", entry.origin().request());
        fields.put("kind", change.kind().name());
        fields.put("subject", change.id());
        fields.put("what", change.what());
        fields.put("before", tree(entry.before()));
        fields.put("after", tree(entry.after()));
        return Answers.text(fields);
    }

    private static JsonNode tree(String json) {
        try {
            return Answers.JSON.readTree(json.isEmpty() ? "{}" : json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
