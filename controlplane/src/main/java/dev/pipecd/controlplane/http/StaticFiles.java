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

/// The web application: its files, and its start page for every path it draws itself.
public final class StaticFiles {
    private final Path directory;
    private final HttpService index;

    public StaticFiles(Path directory) {
        this.directory = directory;
        this.index =
                HttpFile.builder(directory.resolve("index.html"))
                        .entityTag(true)
                        .cacheControl("no-cache")
                        .build()
                        .asService();
    }

    /// File names hold a digest of the content, so a copy is good for ever.
    HttpService assets() {
        if (!Files.isDirectory(directory.resolve("assets"))) return this::missing;
        return FileService.builder(directory.resolve("assets"))
                .cacheControl("public, max-age=31536000")
                .serveCompressedFiles(true)
                .build()
                .decorate(compressing());
    }

    HttpService pages() {
        HttpService pages = this::page;
        if (Files.isDirectory(directory))
            pages =
                    FileService.builder(directory)
                            .cacheControl("no-cache")
                            .serveCompressedFiles(true)
                            .build()
                            .orElse(pages);
        return pages.decorate(compressing()).decorate(StaticFiles::unlessCall);
    }

    private HttpResponse page(ServiceRequestContext call, HttpRequest request) throws Exception {
        if (request.method() != HttpMethod.GET && request.method() != HttpMethod.HEAD)
            return Answers.error(
                    HttpStatus.METHOD_NOT_ALLOWED, "This path does not take that method.");
        if (Files.isRegularFile(directory.resolve("index.html"))) return index.serve(call, request);
        return missing(call, request);
    }

    private HttpResponse missing(ServiceRequestContext call, HttpRequest request) {
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
