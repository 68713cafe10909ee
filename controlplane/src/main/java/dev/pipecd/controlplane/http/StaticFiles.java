// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.encoding.EncodingService;
import com.linecorp.armeria.server.file.FileService;
import com.linecorp.armeria.server.file.HttpFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// The web application: its start page for every path it draws itself, its icon and its assets.
/// Nothing else of the folder is for anybody: it may be a work directory, in which keys lie.
public final class StaticFiles {
    private final Optional<Path> folder;
    private final HttpService index;
    private final HttpService icon;

    /// @param folder empty for none; one without a start page is none either
    public StaticFiles(Optional<Path> folder) {
        this.folder = folder.filter(f -> Files.isRegularFile(f.resolve("index.html")));
        this.index = file("index.html");
        this.icon = file("favicon.ico");
    }

    private HttpService file(String name) {
        return folder.map(f ->
                        HttpFile.builder(f.resolve(name))
                                .entityTag(true)
                                .cacheControl("no-cache")
                                .build()
                                .asService())
                .orElse(StaticFiles::missing);
    }

    /// File names hold a digest of the content, so a copy is good for ever.
    HttpService assets() {
        return folder.map(f -> f.resolve("assets"))
                .filter(Files::isDirectory)
                .<HttpService>map(assets ->
                        FileService.builder(assets)
                                .cacheControl("public, max-age=31536000")
                                .serveCompressedFiles(true)
                                .build()
                                .decorate(compressing()))
                .orElse(StaticFiles::missing);
    }

    HttpService pages() {
        HttpService pages = this::page;
        return pages.decorate(compressing()).decorate(StaticFiles::unlessCall);
    }

    private HttpResponse page(ServiceRequestContext call, HttpRequest request) throws Exception {
        if (request.method() != HttpMethod.GET && request.method() != HttpMethod.HEAD)
            return Answers.error(
                    HttpStatus.METHOD_NOT_ALLOWED, "This path does not take that method.");
        return (call.path().equals("/favicon.ico") ? icon : index).serve(call, request);
    }

    private static HttpResponse missing(ServiceRequestContext call, HttpRequest request) {
        return HttpResponse.of(
                HttpStatus.NOT_FOUND,
                MediaType.PLAIN_TEXT_UTF_8,
                "The web application is not installed here. Build it and name its folder with --static-dir.\n");
    }

    /// A gRPC call that no service took ends up here; its caller understands only gRPC.
    private static HttpResponse unlessCall(
            HttpService next, ServiceRequestContext call, HttpRequest request) throws Exception {
        var type = request.headers().get(HttpHeaderNames.CONTENT_TYPE, "");
        if (!type.startsWith("application/grpc")) return next.serve(call, request);
        return HttpResponse.of(
                ResponseHeaders.builder(HttpStatus.OK)
                        .add(HttpHeaderNames.CONTENT_TYPE, type)
                        .add("grpc-status", "12")
                        .add("grpc-message", "this server does not offer that method")
                        .endOfStream(true)
                        .build());
    }

    private static java.util.function.Function<? super HttpService, EncodingService> compressing() {
        return EncodingService.builder().minBytesToForceChunkedEncoding(1024).newDecorator();
    }
}
