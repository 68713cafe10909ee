// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import java.util.ArrayList;
import java.util.List;

/// A piece of a page. Text becomes one only through here, escaped.
record Html(String markup) {
    static final Html NONE = new Html("");

    /// `%s` stands for a piece, or for text that is escaped.
    static Html of(String markup, Object... parts) {
        var safe = new ArrayList<Object>();
        for (var part : parts)
            safe.add(part instanceof Html(var piece) ? piece : escaped(String.valueOf(part)));
        return new Html(markup.formatted(safe.toArray()));
    }

    static Html all(List<Html> pieces) {
        return new Html(String.join("", pieces.stream().map(Html::markup).toList()));
    }

    private static String escaped(String text) {
        var safe = new StringBuilder();
        text.codePoints()
                .forEach(c -> {
                    switch (c) {
                        case '&' -> safe.append("&amp;");
                        case '<' -> safe.append("&lt;");
                        case '>' -> safe.append("&gt;");
                        case '"' -> safe.append("&quot;");
                        case '\'' -> safe.append("&#39;");
                        default -> safe.appendCodePoint(Character.isISOControl(c) ? ' ' : c);
                    }
                });
        return safe.toString();
    }

    /// Pages hold secrets shown once: nobody may keep them.
    HttpResponse answer(HttpStatus status, String title) {
        var page =
                of(
                        """
                        <!doctype html><html lang="en"><head><meta charset="utf-8">
                        <meta name="viewport" content="width=device-width"><title>%s · PipeCD ops</title>
                        <style>body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}
                        table{border-collapse:collapse;width:100%%}td,th{text-align:left;padding:.3em .6em;border-bottom:1px solid #ccc}
                        label{display:block;margin:.8em 0}.problem{color:#a00}code{background:#eee;padding:.1em .3em}</style>
                        </head><body><h1>%s</h1>
                        %s</body></html>
                        """,
                        title, title, this);
        return HttpResponse.of(
                ResponseHeaders.of(
                        status,
                        HttpHeaderNames.CONTENT_TYPE,
                        MediaType.HTML_UTF_8,
                        HttpHeaderNames.CACHE_CONTROL,
                        "no-store"),
                HttpData.ofUtf8(page.markup()));
    }
}
