// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.pipecd.controlplane.cache.CacheReads;
import dev.pipecd.domain.ProjectId;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Labels;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/// What the admin port tells Prometheus: calls, requests, and how the process is.
public final class Metrics {
    private static final Labels SERVER = Labels.of("pipecd_component", "server");

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Counter started =
            counter(
                    "grpc_server_started",
                    "RPCs begun.",
                    "grpc_type",
                    "grpc_service",
                    "grpc_method");
    private final Counter handled =
            counter(
                    "grpc_server_handled",
                    "RPCs answered, whatever the answer.",
                    "grpc_type",
                    "grpc_service",
                    "grpc_method",
                    "grpc_code");
    private final Counter received =
            counter(
                    "grpc_server_msg_received",
                    "Messages that came.",
                    "grpc_type",
                    "grpc_service",
                    "grpc_method");
    private final Counter sent =
            counter(
                    "grpc_server_msg_sent",
                    "Messages that went.",
                    "grpc_type",
                    "grpc_service",
                    "grpc_method");
    private final Counter created =
            counter("grpcapi_create_deployment", "Deployments that agents opened.", "project");
    private final Counter requests =
            counter("http_requests", "HTTP requests answered.", "code", "method", "path");
    private final Histogram durations =
            Histogram.builder()
                    .name("http_request_duration_milliseconds")
                    .help("How long HTTP requests took.")
                    .labelNames("code", "method", "path")
                    .constLabels(SERVER)
                    .classicOnly()
                    .classicUpperBounds(1, 5, 25, 125, 625, 3125, 15625)
                    .withoutExemplars()
                    .register(registry);
    private final Map<String, Method> methods = new ConcurrentHashMap<>();

    public Metrics(CacheReads cache) {
        describeProcess();
        CounterWithCallback.builder()
                .name("cache_get_operation")
                .help("Questions to the cache, and whether it knew.")
                .labelNames("status", "source")
                .constLabels(SERVER)
                .callback(c -> {
                    for (var source : CacheReads.Source.values()) {
                        var name = source.name().toLowerCase(Locale.ROOT);
                        c.call(cache.count(source, true), "hit", name);
                        c.call(cache.count(source, false), "miss", name);
                    }
                })
                .register(registry);
    }

    /// Counters of one method, looked up once per call instead of by four labels.
    Method method(MethodDescriptor<?, ?> descriptor) {
        return methods.computeIfAbsent(descriptor.getFullMethodName(), _ -> new Method(descriptor));
    }

    void deploymentCreated(ProjectId project) {
        created.labelValues(project.value()).inc();
    }

    public void request(int code, String method, String path, double milliseconds) {
        requests.labelValues(String.valueOf(code), method, path).inc();
        durations.labelValues(String.valueOf(code), method, path).observe(milliseconds);
    }

    public byte[] text() {
        var out = new ByteArrayOutputStream();
        try {
            PrometheusTextFormatWriter.create().write(out, registry.scrape());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private Counter counter(String name, String help, String... labels) {
        return Counter.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .constLabels(SERVER)
                .withoutExemplars()
                .register(registry);
    }

    private void describeProcess() {
        var memory = ManagementFactory.getMemoryMXBean();
        var threads = ManagementFactory.getThreadMXBean();
        var runtime = ManagementFactory.getRuntimeMXBean();
        gauge("jvm_heap_used_bytes", "Heap in use.", () -> memory.getHeapMemoryUsage().getUsed());
        gauge("jvm_heap_max_bytes", "Heap at most.", () -> memory.getHeapMemoryUsage().getMax());
        gauge(
                "jvm_nonheap_used_bytes",
                "Memory of classes and compiled code.",
                () -> memory.getNonHeapMemoryUsage().getUsed());
        gauge("jvm_threads_current", "Platform threads.", threads::getThreadCount);
        gauge("process_start_time_seconds", "Start.", () -> runtime.getStartTime() / 1000.0);
        gauge("process_resident_memory_bytes", "Resident memory.", Metrics::residentBytes);
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix)
            describe(unix);
        CounterWithCallback.builder()
                .name("process_cpu_seconds")
                .help("Processor time.")
                .constLabels(SERVER)
                .callback(c -> c.call(cpuSeconds()))
                .register(registry);
        CounterWithCallback.builder()
                .name("jvm_gc_collection_seconds")
                .help("Time in garbage collection.")
                .labelNames("gc")
                .constLabels(SERVER)
                .callback(c ->
                        ManagementFactory.getGarbageCollectorMXBeans()
                                .forEach(gc ->
                                        c.call(
                                                Math.max(0, gc.getCollectionTime()) / 1000.0,
                                                gc.getName())))
                .register(registry);
    }

    private void describe(UnixOperatingSystemMXBean process) {
        gauge(
                "process_open_fds",
                "Open files and connections.",
                process::getOpenFileDescriptorCount);
        gauge(
                "process_max_fds",
                "Files and connections at most.",
                process::getMaxFileDescriptorCount);
        gauge(
                "process_virtual_memory_bytes",
                "Memory asked for.",
                process::getCommittedVirtualMemorySize);
    }

    /// What its owner knows at the moment it is asked; it must answer at once.
    public void gauge(String name, String help, DoubleSupplier value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .constLabels(SERVER)
                .callback(c -> c.call(value.getAsDouble()))
                .register(registry);
    }

    /// The same, one for each value of a label.
    public void gauges(
            String name, String help, String label, Supplier<Map<String, Double>> values) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(label)
                .constLabels(SERVER)
                .callback(c -> values.get().forEach((is, value) -> c.call(value, is)))
                .register(registry);
    }

    /// Of what only ever grows.
    public void counters(
            String name, String help, String label, Supplier<Map<String, Long>> values) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(label)
                .constLabels(SERVER)
                .callback(c -> values.get().forEach((is, value) -> c.call(value, is)))
                .register(registry);
    }

    private static double cpuSeconds() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(d -> d.toNanos() / 1e9)
                .orElse(0.0);
    }

    private static double residentBytes() {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(l -> l.startsWith("VmRSS:"))
                    .mapToDouble(l -> Double.parseDouble(l.replaceAll("\\D", "")) * 1024)
                    .findFirst()
                    .orElse(0);
        } catch (IOException | UncheckedIOException e) {
            return 0; // only Linux tells it this way
        }
    }

    final class Method {
        private final String[] labels;
        private final CounterDataPoint started;
        private final CounterDataPoint succeeded;
        private final CounterDataPoint received;
        private final CounterDataPoint sent;

        private Method(MethodDescriptor<?, ?> descriptor) {
            labels =
                    new String[] {
                        descriptor.getType().name().toLowerCase(Locale.ROOT),
                        String.valueOf(descriptor.getServiceName()),
                        String.valueOf(descriptor.getBareMethodName()),
                    };
            started = Metrics.this.started.labelValues(labels);
            received = Metrics.this.received.labelValues(labels);
            sent = Metrics.this.sent.labelValues(labels);
            succeeded = handled(Status.Code.OK);
        }

        void started() {
            started.inc();
        }

        void received() {
            received.inc();
        }

        void sent() {
            sent.inc();
        }

        void handled(Status status) {
            (status.isOk() ? succeeded : handled(status.getCode())).inc();
        }

        private CounterDataPoint handled(Status.Code code) {
            return handled.labelValues(labels[0], labels[1], labels[2], GoNames.of(code));
        }
    }

    /// Dashboards know the codes by their Go names.
    private enum GoNames {
        ;

        static String of(Status.Code code) {
            if (code == Status.Code.OK) return "OK";
            if (code == Status.Code.CANCELLED) return "Canceled";
            var name = new StringBuilder();
            for (var word : code.name().split("_", -1))
                name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
            return name.toString();
        }
    }
}
