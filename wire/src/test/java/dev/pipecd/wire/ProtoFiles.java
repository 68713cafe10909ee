// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.wire;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Message;
import dev.pipecd.wire.model.Insight;
import dev.pipecd.wire.model.Notificationevent;
import dev.pipecd.wire.model.PipedStatOuterClass;
import dev.pipecd.wire.model.Rbac;
import dev.pipecd.wire.model.UserOuterClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Every .proto file of ours, as compiled, and every message type in them.
public final class ProtoFiles {
    private static final Path SOURCES = Path.of("src/main/proto");

    private ProtoFiles() {}

    public static SortedMap<String, FileDescriptor> all() {
        var found = new TreeMap<String, FileDescriptor>();
        Stream.of(
                        dev.pipecd.wire.piped.Service.getDescriptor(),
                        dev.pipecd.wire.web.Service.getDescriptor(),
                        dev.pipecd.wire.api.Service.getDescriptor(),
                        dev.pipecd.wire.plugin.deployment.Api.getDescriptor(),
                        dev.pipecd.wire.plugin.livestate.Api.getDescriptor(),
                        dev.pipecd.wire.plugin.planpreview.Api.getDescriptor(),
                        dev.pipecd.wire.plugin.piped.Service.getDescriptor(),
                        dev.pipecd.wire.plugin.supervision.Supervision.getDescriptor(),
                        dev.pipecd.wire.plugin.control.Control.getDescriptor(),
                        dev.pipecd.wire.plugin.description.Description.getDescriptor(),
                        dev.pipecd.wire.link.Link.getDescriptor(),
                        dev.pipecd.wire.health.Health.getDescriptor(),
                        dev.pipecd.wire.session.Session.getDescriptor(),
                        dev.pipecd.wire.audit.Audit.getDescriptor(),
                        dev.pipecd.wire.stored.ApiKey.getDescriptor(),
                        dev.pipecd.wire.delivery.Delivery.getDescriptor(),
                        dev.pipecd.wire.authz.ExternalAuth.getDescriptor(),
                        Notificationevent.getDescriptor(),
                        Insight.getDescriptor(),
                        PipedStatOuterClass.getDescriptor(),
                        Rbac.getDescriptor(),
                        UserOuterClass.getDescriptor())
                .forEach(file -> add(file, found));
        return found;
    }

    private static void add(FileDescriptor file, SortedMap<String, FileDescriptor> found) {
        if (!Files.exists(SOURCES.resolve(file.getName())) || found.containsKey(file.getName()))
            return;
        found.put(file.getName(), file);
        file.getDependencies().forEach(each -> add(each, found));
    }

    /// What lies in the source folder.
    public static SortedSet<String> onDisk() throws IOException {
        try (var paths = Files.walk(SOURCES)) {
            return paths.filter(path -> path.toString().endsWith(".proto"))
                    .map(path -> SOURCES.relativize(path).toString())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    public static List<Descriptor> messages() {
        return all().values().stream()
                .flatMap(file -> file.getMessageTypes().stream())
                .flatMap(ProtoFiles::withNested)
                .sorted(Comparator.comparing(Descriptor::getFullName))
                .toList();
    }

    private static Stream<Descriptor> withNested(Descriptor type) {
        var nested =
                type.getNestedTypes().stream()
                        .filter(each -> !each.getOptions().getMapEntry())
                        .flatMap(ProtoFiles::withNested);
        return Stream.concat(Stream.of(type), nested);
    }

    /// An empty instance of the generated class, not a dynamic one: it is the generated accessors
    /// that run in production.
    public static Message emptyOf(Descriptor type) {
        try {
            return (Message)
                    Class.forName(className(type)).getMethod("getDefaultInstance").invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("no generated class for " + type.getFullName(), e);
        }
    }

    private static String className(Descriptor type) {
        var outer = type.getContainingType();
        return outer == null
                ? type.getFile().getOptions().getJavaPackage() + "." + type.getName()
                : className(outer) + "$" + type.getName();
    }
}
