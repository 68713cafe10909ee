// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.cache;

import dev.pipecd.domain.Problem;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/// What Redis tells who only looks: it is asked to keep a field and to forget it again.
///
/// @param what for people: where, and which version
/// @param ahead by how much its clock is ahead of ours
public record CacheLook(String what, Duration ahead) {
    private static final String HASH = "pipecd:doctor";

    /// @param probe the field
    /// @param limit how long it is waited for
    public static CacheLook at(
            CacheAddress address, String probe, Duration limit, InstantSource clock) {
        var place = address.place();
        try (var client = RedisClient.create(RedisCache.uri(address, limit))) {
            client.setOptions(RedisCache.options(address, limit));
            try (var connection = client.connect()) {
                var redis = connection.sync();
                redis.hset(HASH, probe, "1");
                redis.hdel(HASH, probe);
                var now = redis.time();
                var theirs = Instant.ofEpochSecond(Long.parseLong(now.getFirst()));
                return new CacheLook(
                        "Redis %s at %s".formatted(version(redis.info("server")), place),
                        Duration.between(clock.instant(), theirs.plusMillis(500)));
            }
        } catch (RedisException | IllegalArgumentException e) {
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "cache: %s (expected: a Redis that lets us in)".formatted(place),
                    "Check that it runs, and --cache-address or cache.address, password and TLS"
                            + (place.tls() ? " (rediss:// asks for TLS: does it speak that?)" : "")
                            + "; it says: "
                            + RedisCache.cause(e),
                    e);
        }
    }

    private static String version(String info) {
        return info.lines()
                .filter(line -> line.startsWith("redis_version:"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("of an unknown version");
    }
}
