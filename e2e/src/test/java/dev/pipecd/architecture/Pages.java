// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// The Markdown pages, and the places in the repository that they name.
record Pages(Path folder) {
    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(([^)#\\s]+)[^)]*\\)");
    private static final Pattern PATH = Pattern.compile("`([A-Za-z0-9_.-]+/[A-Za-z0-9_./-]*)`");

    List<String> deadLinks() throws IOException {
        var breaches = new ArrayList<String>();
        for (var page : pages()) {
            var links = LINK.matcher(Files.readString(page));
            while (links.find()) {
                var target = links.group(1);
                if (target.contains("://")) continue;
                if (!Files.exists(page.resolveSibling(target)))
                    breaches.add(folder.relativize(page) + ": " + target + " (expected: to exist)");
            }
        }
        return breaches;
    }

    /// ARCHITECTURE.md is a map: whatever it calls a path must be one.
    List<String> missingPlaces() throws IOException {
        var breaches = new ArrayList<String>();
        var map = Files.readString(folder.resolve("ARCHITECTURE.md"));
        var paths = PATH.matcher(LINK.matcher(map).replaceAll(""));
        while (paths.find())
            if (!Files.exists(folder.resolve(paths.group(1))))
                breaches.add("ARCHITECTURE.md: " + paths.group(1) + " (expected: to exist)");
        return breaches;
    }

    private List<Path> pages() throws IOException {
        var pages = new ArrayList<Path>();
        try (var top = Files.list(folder);
                var docs = Files.walk(folder.resolve("docs"))) {
            top.filter(Pages::isPage).forEach(pages::add);
            docs.filter(Pages::isPage).forEach(pages::add);
        }
        return pages.stream().sorted().toList();
    }

    private static boolean isPage(Path file) {
        return file.toString().endsWith(".md");
    }
}
