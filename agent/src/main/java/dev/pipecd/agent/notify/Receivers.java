// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import dev.pipecd.agent.proxy.ProxyByEnvironment;
import dev.pipecd.config.Notifications;
import dev.pipecd.domain.IdSource;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Everybody who is told. Best effort: what waits here when the agent dies is lost.
public final class Receivers implements Notifier, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Receivers.class);

    private final Routes routes;
    private final Map<String, Delivery> deliveries = new LinkedHashMap<>();
    private final Patience patience;
    private final IdSource ids;
    private final InstantSource clock;
    private final Optional<HttpClient> client;

    /// Which state of an application was told last, so that a state is told when it changes.
    private final Map<String, EventKind> syncStates = new ConcurrentHashMap<>();

    public Receivers(
            Notifications written,
            Sender sender,
            ProxyByEnvironment proxies,
            IdSource ids,
            InstantSource clock) {
        this(new Settings(written, Patience.USUAL, SlackBotPost.API), sender, proxies, ids, clock);
    }

    /// What is told to whom, how patiently, and where Slack is.
    record Settings(Notifications written, Patience patience, URI slack) {}

    Receivers(
            Settings settings,
            Sender sender,
            ProxyByEnvironment proxies,
            IdSource ids,
            InstantSource clock) {
        this.routes = new Routes(settings.written);
        this.patience = settings.patience;
        this.ids = ids;
        this.clock = clock;
        // An agent that tells nobody keeps no threads for it.
        this.client = routes.routes().isEmpty() ? Optional.empty() : Optional.of(client(proxies));
        for (var receiver : settings.written.receivers())
            client.flatMap(c ->
                            post(receiver.channel(), settings.slack, sender)
                                    .map(post ->
                                            new Delivery(
                                                    receiver.name(),
                                                    post,
                                                    c,
                                                    proxies,
                                                    patience,
                                                    clock)))
                    .ifPresent(delivery -> deliveries.put(receiver.name(), delivery.start()));
    }

    /// A redirect is not followed: it would take the secrets to another place.
    private HttpClient client(ProxyByEnvironment proxies) {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .proxy(proxies)
                .connectTimeout(patience.call())
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
    }

    private static Optional<Post> post(Notifications.Channel channel, URI slack, Sender sender) {
        return switch (channel) {
            case Notifications.Webhook webhook -> Optional.of(new WebhookPost(webhook, sender));
            case Notifications.SlackHook hook -> Optional.of(new SlackHookPost(hook, sender));
            case Notifications.SlackBot bot -> Optional.of(new SlackBotPost(bot, slack, sender));
            case Notifications.Nowhere() -> Optional.empty();
        };
    }

    @Override
    public void tell(Event event) {
        try {
            if (deliveries.isEmpty() || !isNews(event)) return;
            var notice = new Notice(ids.next(), event, clock.instant());
            for (var name : routes.receivers(event)) {
                var delivery = deliveries.get(name);
                if (delivery != null) delivery.add(notice);
            }
        } catch (RuntimeException e) {
            // Whoever tells has better to do than to fail because of it.
            log.error("{}: nobody is told, by a fault of the agent", event.kind(), e);
        }
    }

    private boolean isNews(Event event) {
        return switch (event) {
            case Event.ApplicationSynced(var application, _) ->
                    syncStates.put(application.getId(), event.kind()) != event.kind();
            case Event.ApplicationOutOfSync(var application, _) ->
                    syncStates.put(application.getId(), event.kind()) != event.kind();
            case Event.OfDeployment _,
                    Event.OfStage _,
                    Event.DeploymentTriggerFailed _,
                    Event.ApplicationHealthy _,
                    Event.OfPiped _ ->
                    true;
        };
    }

    public List<String> names() {
        return List.copyOf(deliveries.keySet());
    }

    /// What is counted of one receiver.
    public Figures figures(String name) {
        var delivery = deliveries.get(name);
        return delivery == null
                ? new Figures(0, 0, 0)
                : new Figures(delivery.waiting(), delivery.sent(), delivery.dropped());
    }

    /// @param dropped given up: refused, too old, or pushed out of a full queue
    public record Figures(int waiting, long sent, long dropped) {}

    /// All at once and for a short time: nobody who stops the agent waits for a receiver.
    @Override
    public void close() {
        var deadline = System.nanoTime() + patience.flush().toNanos();
        deliveries.values().forEach(Delivery::finish);
        try {
            for (var delivery : deliveries.values())
                delivery.end(Duration.ofNanos(deadline - System.nanoTime()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        client.ifPresent(HttpClient::shutdownNow);
    }
}
