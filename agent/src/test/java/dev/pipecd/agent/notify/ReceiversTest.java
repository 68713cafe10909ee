// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.pipecd.agent.notify.SmallReceiver.Hangs;
import dev.pipecd.agent.notify.SmallReceiver.Says;
import dev.pipecd.agent.notify.SmallReceiver.Trickles;
import dev.pipecd.agent.proxy.ProxyByEnvironment;
import dev.pipecd.agent.proxy.SmallProxy;
import dev.pipecd.config.Notifications;
import dev.pipecd.config.Notifications.Channel;
import dev.pipecd.config.Notifications.Filter;
import dev.pipecd.config.Notifications.Mentioned;
import dev.pipecd.config.Notifications.Receiver;
import dev.pipecd.config.Notifications.Route;
import dev.pipecd.config.Notifications.SlackBot;
import dev.pipecd.config.Notifications.SlackHook;
import dev.pipecd.config.Notifications.Webhook;
import dev.pipecd.config.Secret;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

final class ReceiversTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Filter ALL = new Filter(List.of(), List.of(), List.of(), Map.of());
    private static final Mentioned NOBODY = new Mentioned(List.of(), List.of());

    /// Quick to try again, and never short of time for a call.
    private static final Patience QUICK =
            new Patience(100, LONG, Duration.ofMillis(1), Duration.ofMillis(5), LONG, LONG, LONG);

    private final SmallReceiver server = server();
    private final AtomicInteger ids = new AtomicInteger();
    private final ListAppender<ILoggingEvent> seen = new ListAppender<>();
    private final Logger logger = logger();

    /// Another test's class may be waking the logging just now.
    private static Logger logger() {
        await().atMost(LONG)
                .until(() -> LoggerFactory.getILoggerFactory() instanceof LoggerContext);
        return (Logger) LoggerFactory.getLogger(ReceiversTest.class.getPackageName());
    }

    @BeforeEach
    void listen() {
        seen.start();
        logger.setLevel(Level.DEBUG);
        logger.addAppender(seen);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(seen);
        logger.setLevel(null);
        server.close();
    }

    @Test
    void aWebhookGetsThePublicBodyItsStaticSignatureAndOneOverTheBody() {
        try (var receivers = receivers(QUICK, webhook())) {
            receivers.tell(new Event.PipedStarted());
            await().atMost(LONG).until(() -> receivers.figures("r0").sent() == 1);
        }

        var got = server.got.getFirst();
        assertThat(got.path()).isEqualTo("/hook/s3cret");
        assertThat(got.body())
                .isEqualTo(
                        "{\"Type\":300,\"Metadata\":{\"id\":\"piped-1\",\"name\":\"west\",\"version\":\"v1.2\",\"project_id\":\"team\"}}");
        assertThat(got.header("Content-type")).isEqualTo("application/json; charset=utf-8");
        assertThat(got.header("Pipecd-signature")).isEqualTo("static-s3cret");
        assertThat(got.header("Pipecd-signature-256"))
                .isEqualTo(
                        "sha256=9d22d50d35d288c6eb1ed81cdafa7f09cda67b37b66841b9594e4529934328de");
        assertThat(got.header("Pipecd-delivery")).isEqualTo("n1");
    }

    @Test
    void aWebhookWithoutKeysIsNotSigned() {
        var plain =
                new Webhook(
                        secret(server.url("/")),
                        secret("PipeCD-Signature"),
                        Secret.none(),
                        Secret.none());
        try (var receivers = receivers(QUICK, plain)) {
            receivers.tell(new Event.PipedStarted());
        }

        assertThat(server.got.getFirst().headers())
                .doesNotContainKeys("Pipecd-signature", "Pipecd-signature-256");
    }

    @Test
    void aSlackHookGetsAMessage() {
        try (var receivers =
                receivers(QUICK, new SlackHook(secret(server.url("/services/T/B")), NOBODY))) {
            receivers.tell(new Event.DeploymentSucceeded(Samples.DEPLOYMENT));
        }

        assertThat(server.got.getFirst().path()).isEqualTo("/services/T/B");
        assertThat(server.got.getFirst().body())
                .startsWith(
                        "{\"username\":\"PipeCD\",\"attachments\":[{\"title\":\"shop: deployment succeeded\",");
    }

    @Test
    void aSlackAppPostsToItsChannelWithItsToken() {
        server.then(new Says(200, Map.of(), "{\"ok\":true}"));
        try (var receivers = receivers(QUICK, bot())) {
            receivers.tell(new Event.PipedStarted());
            await().atMost(LONG).until(() -> receivers.figures("r0").sent() == 1);
        }

        var got = server.got.getFirst();
        assertThat(got.path()).isEqualTo("/api/chat.postMessage");
        assertThat(got.header("Authorization")).isEqualTo("Bearer xoxb-s3cret");
        assertThat(got.body()).endsWith(",\"channel\":\"C1\"}");
    }

    @Test
    void slackSaysNoInTheBody() {
        server.then(
                new Says(200, Map.of(), "{\"ok\":false,\"error\":\"fatal_error\"}"),
                new Says(200, Map.of(), "{\"ok\":false,\"error\":\"channel_not_found\"}"),
                new Says(200, Map.of(), "{\"ok\":true}"));
        try (var receivers = receivers(QUICK, bot())) {
            receivers.tell(new Event.PipedStarted());
            receivers.tell(new Event.PipedStopped());
            await().atMost(LONG).until(() -> receivers.figures("r0").sent() == 1);

            assertThat(receivers.figures("r0")).isEqualTo(new Receivers.Figures(0, 1, 1));
        }
        assertThat(server.got).hasSize(3);
        assertThat(logged())
                .contains("receiver r0: Slack says channel_not_found, and would again.");
    }

    @Test
    void whatPassesIsTriedAgainInOrderAndWithTheSameId() {
        server.then(new Says(500), new Says(429), new Says(503), new Says(408));
        try (var receivers = receivers(QUICK, webhook())) {
            receivers.tell(new Event.PipedStarted());
            receivers.tell(new Event.PipedStopped());
            await().atMost(LONG).until(() -> receivers.figures("r0").sent() == 2);
        }

        assertThat(server.got)
                .extracting(got -> got.header("Pipecd-delivery"))
                .containsExactly("n1", "n1", "n1", "n1", "n1", "n2");
        assertThat(logged()).contains("receiver r0: works again; dropped=0");
    }

    @Test
    void whatWouldBeRefusedAgainIsDroppedAtOnce() {
        server.then(new Says(404), new Says(302, Map.of("Location", server.url("/else")), ""));
        try (var receivers = receivers(QUICK, webhook())) {
            receivers.tell(new Event.PipedStarted());
            receivers.tell(new Event.PipedStarted());
            receivers.tell(new Event.PipedStopped());
            await().atMost(LONG).until(() -> receivers.figures("r0").sent() == 1);

            assertThat(receivers.figures("r0").dropped()).isEqualTo(2);
        }
        assertThat(server.got)
                .extracting(SmallReceiver.Got::path)
                .containsOnly("/hook/s3cret")
                .hasSize(3);
    }

    @Test
    void aReceiverThatAsksForRestGetsItUntilTheStop() {
        server.then(new Says(429, Map.of("Retry-After", "50"), ""));
        var receivers = receivers(QUICK, webhook());
        receivers.tell(new Event.PipedStarted());
        await().atMost(LONG).until(() -> logged().contains("it answers 429"));
        receivers.tell(new Event.PipedStopped());

        assertThat(server.got).hasSize(1);
        receivers.close();
        assertThat(server.got)
                .extracting(got -> got.header("Pipecd-delivery"))
                .containsExactly("n1", "n1", "n2");
    }

    @Test
    void anAnswerThatDoesNotComeWholeInTimeIsNotWaitedFor() {
        server.then(new Hangs(), new Trickles());
        var impatient =
                new Patience(
                        100,
                        Duration.ofMillis(200),
                        Duration.ofMillis(1),
                        Duration.ofMillis(1),
                        LONG,
                        LONG,
                        LONG);
        try (var receivers = receivers(impatient, webhook())) {
            receivers.tell(new Event.PipedStarted());
            await().atMost(LONG).until(() -> receivers.figures("r0").sent() == 1);
        }

        assertThat(logged()).contains("receiver r0: no whole answer within 200 ms.");
    }

    @Test
    void whatIsTooOldIsGivenUp() {
        server.then(new Says(500));
        var hasty = new Patience(9, LONG, LONG, LONG, LONG, Duration.ofNanos(1), Duration.ZERO);
        try (var receivers = receivers(hasty, webhook())) {
            receivers.tell(new Event.PipedStarted());
            await().atMost(LONG).until(() -> receivers.figures("r0").dropped() == 1);
        }

        assertThat(server.got).hasSize(1);
    }

    @Test
    void whenTooManyWaitTheOldestMakesRoomAndNobodyIsHeldUp() {
        server.then(new Hangs());
        var small = new Patience(2, LONG, LONG, LONG, LONG, LONG, Duration.ZERO);
        var receivers = receivers(small, webhook());
        receivers.tell(new Event.PipedStarted());
        await().atMost(LONG).until(() -> server.got.size() == 1);

        for (var i = 0; i < 1000; i++) receivers.tell(new Event.PipedStopped());

        assertThat(receivers.figures("r0")).isEqualTo(new Receivers.Figures(2, 0, 998));
        assertThat(logged())
                .containsOnlyOnce(
                        "receiver r0: 2 notifications wait; from now on the oldest makes room for each new one");
        receivers.close();
        assertThat(receivers.figures("r0").dropped()).isEqualTo(1001);
        assertThat(logged())
                .contains("receiver r0: 2 notification(s) were not sent before the stop");
    }

    @Test
    void whatWaitsIsBoundedByItsSizeToo() {
        server.then(new Hangs());
        var hasty = new Patience(1000, LONG, LONG, LONG, LONG, LONG, Duration.ZERO);
        var receivers = receivers(hasty, webhook());
        receivers.tell(new Event.PipedStarted());
        await().atMost(LONG).until(() -> server.got.size() == 1);
        var large = Samples.DEPLOYMENT.toBuilder().setSummary("x".repeat(1 << 20)).build();

        for (var i = 0; i < 100; i++) receivers.tell(new Event.DeploymentSucceeded(large));

        assertThat(receivers.figures("r0")).isEqualTo(new Receivers.Figures(7, 0, 93));
        assertThat(logged())
                .containsOnlyOnce(
                        "receiver r0: 7 notifications wait; from now on the oldest makes room for each new one");
        for (var i = 0; i < 100; i++) receivers.tell(new Event.PipedStopped());
        assertThat(receivers.figures("r0").waiting()).isEqualTo(107);
        receivers.close();
    }

    @Test
    void anEmptyKeyIsToldAndNothingIsSentUnsigned(@TempDir Path directory) throws Exception {
        var key = Files.writeString(directory.resolve("key"), "\n");
        var hook =
                new Webhook(
                        secret(server.url("/")),
                        secret("PipeCD-Signature"),
                        Secret.none(),
                        Secret.inFile("hmacKey", key.toString()));
        try (var receivers = receivers(QUICK, hook)) {
            receivers.tell(new Event.PipedStarted());
            await().atMost(LONG).until(() -> logged().contains("hmacKey"));
            assertThat(server.got).isEmpty();
            Files.writeString(key, "key-s3cret");
            await().atMost(LONG).until(() -> receivers.figures("r0").sent() == 1);
        }

        assertThat(logged())
                .contains(
                        "receiver r0: webhook.hmacKey: empty (expected: a key). Write the key where"
                                + " `hmacKey` says that it is, or leave `hmacKey` out.");
    }

    @Test
    void theEndOfALineIsNoPartOfAToken() {
        server.then(new Says(200, Map.of(), "{\"ok\":true}"));
        try (var receivers =
                receivers(QUICK, new SlackBot(secret("xoxb-s3cret\n"), "C1", NOBODY))) {
            receivers.tell(new Event.PipedStarted());
            await().atMost(LONG).until(() -> receivers.figures("r0").sent() == 1);
        }

        assertThat(server.got.getFirst().header("Authorization")).isEqualTo("Bearer xoxb-s3cret");
    }

    @Test
    void oneReceiverDoesNotHoldUpAnother() throws Exception {
        server.then(new Hangs());
        try (var other = new SmallReceiver();
                var receivers =
                        receivers(
                                new Patience(2, LONG, LONG, LONG, LONG, LONG, Duration.ZERO),
                                webhook(),
                                new SlackHook(secret(other.url("/")), NOBODY))) {
            receivers.tell(new Event.PipedStarted());

            await().atMost(LONG).until(() -> receivers.figures("r1").sent() == 1);
            assertThat(receivers.figures("r0").sent()).isZero();
        }
    }

    @Test
    void whatWaitsAtTheStopIsSent() {
        var receivers = receivers(QUICK, webhook());
        for (var i = 0; i < 20; i++) receivers.tell(new Event.PipedStopped());
        receivers.close();

        assertThat(server.got).hasSize(20);
    }

    @Test
    void theStateOfAnApplicationIsToldWhenItChanges() {
        try (var receivers = receivers(QUICK, webhook())) {
            receivers.tell(new Event.ApplicationSynced(Samples.APPLICATION, Samples.SYNCED));
            receivers.tell(new Event.ApplicationSynced(Samples.APPLICATION, Samples.SYNCED));
            receivers.tell(
                    new Event.ApplicationOutOfSync(Samples.APPLICATION, Samples.OUT_OF_SYNC));
            receivers.tell(
                    new Event.ApplicationOutOfSync(Samples.APPLICATION, Samples.OUT_OF_SYNC));
            receivers.tell(new Event.ApplicationSynced(Samples.APPLICATION, Samples.SYNCED));
        }

        assertThat(server.bodies())
                .extracting(body -> body.substring(0, 11))
                .containsExactly("{\"Type\":100", "{\"Type\":101", "{\"Type\":100");
    }

    @Test
    void noSecretIsPrintedWhateverGoesWrong() {
        server.then(new Says(404, Map.of(), "no such hook: s3cret"));
        var broken = List.of("not a url s3cret", "ftp://s3cret", "https:///s3cret");
        var channels = new LinkedHashMap<String, Channel>();
        broken.forEach(url -> channels.put(url, new SlackHook(secret(url), NOBODY)));
        channels.put("works", webhook());
        channels.put(
                "header",
                new Webhook(
                        secret(server.url("/")),
                        secret("PipeCD-Signature"),
                        secret("two\nlines s3cret"),
                        Secret.none()));
        channels.put("nowhere", new SlackHook(secret("http://127.0.0.1:1/hook/s3cret"), NOBODY));
        var once = new Patience(9, LONG, LONG, LONG, LONG, Duration.ofNanos(1), LONG);
        try (var receivers = receivers(once, channels.values().toArray(Channel[]::new))) {
            receivers.tell(new Event.PipedStarted());
            await().atMost(LONG)
                    .until(() ->
                            receivers.names().stream()
                                            .mapToLong(n -> receivers.figures(n).dropped())
                                            .sum()
                                    == 6);
        }

        assertThat(logged())
                .contains(
                        "receiver r0: slack.hookURL: ****** (expected: an http or https URL)",
                        "receiver r3: it answers 404",
                        "receiver r4: webhook.signatureKey and signatureValue: ****** (expected: a header of HTTP, of one line)",
                        "receiver r5: it cannot be reached: ")
                .doesNotContain("s3cret");
    }

    @Test
    void whoeverTellsIsNeverHurtByIt() {
        var settings =
                new Receivers.Settings(
                        notifications(webhook()), QUICK, URI.create(server.url("/api/")));
        try (var receivers =
                new Receivers(
                        settings,
                        Samples.SENDER,
                        new ProxyByEnvironment(Map.of()),
                        () -> {
                            throw new IllegalStateException("no ids today");
                        },
                        () -> Samples.AT)) {
            receivers.tell(new Event.PipedStarted());
        }

        assertThat(logged()).contains("PIPED_STARTED: nobody is told, by a fault of the agent");
    }

    @Test
    void whatIsSentShowsItsLoginToTheProxyOnItsWay() throws Exception {
        var far = new Webhook(secret("http://hooks.example/x"), secret(""), secret(""), secret(""));
        try (var proxy = new SmallProxy("ann:pass", 1);
                var receivers =
                        new Receivers(
                                new Receivers.Settings(notifications(far), QUICK, SlackBotPost.API),
                                Samples.SENDER,
                                new ProxyByEnvironment(Map.of("HTTP_PROXY", proxy.url("ann:pass"))),
                                this::id,
                                () -> Samples.AT)) {
            receivers.tell(new Event.PipedStarted());

            await().atMost(LONG).until(() -> receivers.figures("r0").sent() == 1);
            assertThat(proxy.let).containsExactly("POST http://hooks.example/x HTTP/1.1");
        }
    }

    @Test
    void withoutRoutesNothingIsSentOrSaid() {
        var silent = new Notifications(List.of(), List.of(new Receiver("r0", webhook())));
        try (var receivers =
                new Receivers(
                        new Receivers.Settings(silent, QUICK, SlackBotPost.API),
                        Samples.SENDER,
                        new ProxyByEnvironment(Map.of()),
                        this::id,
                        () -> Samples.AT)) {
            receivers.tell(new Event.PipedStarted());

            assertThat(receivers.names()).isEmpty();
        }
        assertThat(logged()).isEmpty();
    }

    private Webhook webhook() {
        return new Webhook(
                secret(server.url("/hook/s3cret")),
                secret("PipeCD-Signature"),
                secret("static-s3cret"),
                secret("key-s3cret"));
    }

    private static SlackBot bot() {
        return new SlackBot(secret("xoxb-s3cret"), "C1", NOBODY);
    }

    private static Secret secret(String text) {
        return Secret.written("secret", text);
    }

    private Receivers receivers(Patience patience, Channel... channels) {
        return new Receivers(
                new Receivers.Settings(
                        notifications(channels), patience, URI.create(server.url("/api/"))),
                Samples.SENDER,
                new ProxyByEnvironment(Map.of()),
                this::id,
                () -> Samples.AT);
    }

    private static Notifications notifications(Channel... channels) {
        var receivers = new java.util.ArrayList<Receiver>();
        for (var channel : channels) receivers.add(new Receiver("r" + receivers.size(), channel));
        return new Notifications(
                receivers.stream().map(r -> new Route("all", r.name(), ALL, ALL)).toList(),
                receivers);
    }

    private String id() {
        return "n" + ids.incrementAndGet();
    }

    private String logged() {
        synchronized (seen) {
            return String.join(
                    "\n", List.copyOf(seen.list).stream().map(ReceiversTest::line).toList());
        }
    }

    private static String line(ILoggingEvent event) {
        var thrown = event.getThrowableProxy();
        return event.getFormattedMessage() + (thrown == null ? "" : " " + thrown.getMessage());
    }

    private static SmallReceiver server() {
        try {
            return new SmallReceiver();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
