// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.cache;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import java.io.File;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The cache that servers share in Redis. Connects by itself, again and again; until then, and
/// whenever Redis is away, this server knows what it has put itself.
final class RedisCache implements Cache {
    private static final Logger log = LoggerFactory.getLogger(RedisCache.class);
    private static final Duration CONNECT = Duration.ofSeconds(3);
    private static final Duration ANSWER = Duration.ofSeconds(1);
    private static final Duration BEFORE_NEXT_TRY = Duration.ofSeconds(2);
    private static final int MOST_WAITING = 10_000;
    private static final int LONGEST_KEPT_TWICE = 1_000;

    private final ClientResources resources;
    private final RedisClient client;
    private final String channel;
    private final CacheReads reads = new CacheReads();
    private final InProcessCache own = new InProcessCache(reads);
    private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();
    private final AtomicBoolean failing = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread connecting;
    private volatile @Nullable StatefulRedisConnection<String, String> connection;

    private RedisCache(ClientResources resources, RedisClient client, int database) {
        this.resources = resources;
        this.client = client;
        this.channel = "pipecd:changes:" + database; // channels do not know databases
        this.connecting = Thread.ofVirtual().name("cache").unstarted(this::connect);
    }

    static RedisCache open(CacheAddress address) {
        return open(address, ANSWER);
    }

    /// @param answer how long a command is waited for
    static RedisCache open(CacheAddress address, Duration answer) {
        var uri = uri(address, answer);
        var resources =
                ClientResources.builder().ioThreadPoolSize(2).computationThreadPoolSize(2).build();
        var client = RedisClient.create(resources, uri);
        client.setOptions(options(address, answer));
        var cache = new RedisCache(resources, client, uri.getDatabase());
        client.addListener(cache.new Standing());
        cache.connecting.start();
        return cache;
    }

    static RedisURI uri(CacheAddress address, Duration answer) {
        var place = address.place();
        var uri =
                RedisURI.builder()
                        .withHost(place.host())
                        .withPort(place.port())
                        .withDatabase(place.database())
                        .withSsl(place.tls())
                        .withTimeout(answer)
                        .withClientName("pipecd");
        if (!place.user().isEmpty()) uri.withAuthentication(place.user(), place.password());
        else if (!place.password().isEmpty()) uri.withPassword((CharSequence) place.password());
        return uri.build();
    }

    static ClientOptions options(CacheAddress address, Duration answer) {
        var options =
                ClientOptions.builder()
                        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                        .requestQueueSize(MOST_WAITING)
                        .socketOptions(SocketOptions.builder().connectTimeout(CONNECT).build())
                        .timeoutOptions(TimeoutOptions.enabled(answer));
        if (!address.caFile().isEmpty())
            options.sslOptions(
                    SslOptions.builder().trustManager(new File(address.caFile())).build());
        return options.build();
    }

    /// Once it stands, the client keeps it: it reconnects and subscribes again by itself.
    private void connect() {
        try {
            do {
                try {
                    connectBoth();
                    log.info("cache: connected");
                    failing.set(false);
                    return;
                } catch (RuntimeException e) {
                    failed(e);
                }
            } while (!closed.await(BEFORE_NEXT_TRY.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            log.debug("interrupted", e); // nobody does that
        }
    }

    /// What is subscribed to stays only with a connection beside it: it would be heard once more
    /// with each try.
    private void connectBoth() {
        var subscription = subscribe();
        try {
            connection = client.connect();
        } catch (RuntimeException e) {
            subscription.close();
            throw e;
        }
    }

    private StatefulRedisPubSubConnection<String, String> subscribe() {
        var subscription = client.connectPubSub();
        subscription.addListener(
                new RedisPubSubAdapter<String, String>() {
                    @Override
                    public void message(String from, String message) {
                        listeners.forEach(l -> l.accept(message));
                    }
                });
        try {
            subscription.sync().subscribe(channel);
            return subscription;
        } catch (RuntimeException e) {
            subscription.close();
            throw e;
        }
    }

    @Override
    public void put(String hash, String field, String value) {
        var taken =
                asked(
                        false,
                        redis -> {
                            var _ = redis.sync().hset(hash, field, value);
                            return true;
                        });
        // what is long would take on each server the memory that Redis is there for
        if (taken && value.length() > LONGEST_KEPT_TWICE) own.remove(hash, field);
        else own.put(hash, field, value);
    }

    @Override
    public Map<String, String> all(String hash) {
        var found =
                asked(
                        Optional.<Map<String, String>>empty(),
                        redis -> Optional.of(redis.sync().hgetall(hash)));
        if (found.isEmpty()) return own.all(hash);
        reads.read(CacheReads.Source.REDIS, !found.get().isEmpty());
        return found.get();
    }

    @Override
    public Set<String> fields(String hash) {
        var found =
                asked(
                        Optional.<Set<String>>empty(),
                        redis -> Optional.of(Set.copyOf(redis.sync().hkeys(hash))));
        return found.orElseGet(() -> own.fields(hash));
    }

    @Override
    public Optional<String> get(String hash, String field) {
        var found =
                asked(
                        Optional.<Optional<String>>empty(),
                        redis -> Optional.of(Optional.ofNullable(redis.sync().hget(hash, field))));
        if (found.isEmpty()) return own.get(hash, field);
        reads.read(CacheReads.Source.REDIS, found.get().isPresent());
        return found.get();
    }

    @Override
    public void remove(String hash, String field) {
        own.remove(hash, field);
        var _ = asked(0L, redis -> redis.sync().hdel(hash, field));
    }

    @Override
    public void drop(List<String> keys) {
        var _ =
                asked(
                        true,
                        redis -> {
                            var _ = redis.async().del(keys.toArray(String[]::new));
                            return true;
                        });
    }

    @Override
    public boolean answers() {
        return connection != null && !failing.get();
    }

    @Override
    public CacheReads reads() {
        return reads;
    }

    @Override
    public void tell(String message) {
        var _ =
                asked(
                        true,
                        redis -> {
                            var _ = redis.async().publish(channel, message);
                            return true;
                        });
    }

    @Override
    public void hear(Consumer<String> listener) {
        listeners.add(listener);
    }

    private <R> R asked(
            R otherwise, Function<StatefulRedisConnection<String, String>, R> question) {
        var redis = connection;
        if (redis == null) return otherwise;
        try {
            var answer = question.apply(redis);
            recovered();
            return answer;
        } catch (RedisException e) {
            failed(e);
            return otherwise;
        }
    }

    private void recovered() {
        if (failing.getAndSet(false)) log.info("cache: answers again");
    }

    private void failed(RuntimeException e) {
        if (failing.getAndSet(true)) return;
        log.warn(
                "cache: Redis does not answer; this server goes on by itself, and what other servers"
                        + " change is seen a moment later. Check --cache-address, password and TLS: {}",
                cause(e));
    }

    /// The innermost says why.
    static String cause(Throwable e) {
        var cause = e;
        while (cause.getCause() != null) cause = cause.getCause();
        return String.valueOf(cause.getMessage());
    }

    @Override
    public void close() {
        closed.countDown();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        resources.shutdown(0, 1, TimeUnit.SECONDS);
    }

    /// Tells that Redis goes and comes also while nothing is asked of it.
    private final class Standing implements RedisConnectionStateListener {
        private final AtomicInteger away = new AtomicInteger();

        @Override
        public void onRedisConnected(
                RedisChannelHandler<?, ?> back, @Nullable SocketAddress address) {
            // Both connections, else the first command on the other would be a failure again.
            if (away.get() > 0 && away.decrementAndGet() == 0) recovered();
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
            if (connection == null || closed.getCount() == 0) return;
            away.incrementAndGet();
            failed(new RedisException("the connection was lost"));
        }
    }
}
