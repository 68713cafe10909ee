// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;

/// The arrows between our modules, as their POMs have them. A new module needs a line here.
record Modules(Path folder) {
    private static final Map<String, Set<String>> ARROWS =
            Map.of(
                    "domain", Set.of(),
                    "config", Set.of("domain"),
                    "wire", Set.of("domain"),
                    "controlplane", Set.of("domain", "config", "wire"),
                    "agent", Set.of("domain", "config", "wire"),
                    "plugin-sdk", Set.of("domain", "config", "wire"),
                    "plugins-stages", Set.of("plugin-sdk"),
                    "cli", Set.of("domain", "config", "wire"),
                    "app",
                            Set.of(
                                    "domain",
                                    "config",
                                    "wire",
                                    "controlplane",
                                    "agent",
                                    "plugin-sdk",
                                    "plugins-stages",
                                    "cli"),
                    "e2e", Set.of("app", "controlplane"));

    List<String> breaches() throws Exception {
        var breaches = new ArrayList<String>();
        for (var pom : poms()) {
            var project = root(pom);
            var module = child(project, "artifactId");
            var allowed = ARROWS.get(module);
            if (allowed == null) {
                breaches.add(
                        module + ": a module (expected: one of " + sorted(ARROWS.keySet()) + ")");
                continue;
            }
            for (var seen : dependencies(project))
                if (!allowed.contains(seen))
                    breaches.add(
                            module + " -> " + seen + " (expected: one of " + sorted(allowed) + ")");
        }
        return breaches;
    }

    private List<Path> poms() throws IOException {
        try (var found = Files.walk(folder, 3)) {
            return found.filter(f -> f.endsWith("pom.xml"))
                    .filter(f -> !f.equals(folder.resolve("pom.xml")))
                    .filter(f -> !f.toString().contains("/target/"))
                    .sorted()
                    .toList();
        }
    }

    private static Element root(Path pom) throws Exception {
        var factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        return factory.newDocumentBuilder().parse(pom.toFile()).getDocumentElement();
    }

    private static List<String> dependencies(Element project) {
        var found = new ArrayList<String>();
        var all = project.getElementsByTagName("dependency");
        for (int i = 0; i < all.getLength(); i++) {
            var dependency = (Element) all.item(i);
            if (child(dependency, "groupId").equals("dev.pipecd"))
                found.add(child(dependency, "artifactId"));
        }
        return found;
    }

    private static String child(Element parent, String name) {
        for (var node = parent.getFirstChild(); node != null; node = node.getNextSibling())
            if (node.getNodeName().equals(name)) return node.getTextContent().strip();
        return "";
    }

    private static String sorted(Set<String> names) {
        return String.join(", ", new TreeSet<>(names));
    }
}
