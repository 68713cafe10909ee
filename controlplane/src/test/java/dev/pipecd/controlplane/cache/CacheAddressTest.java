// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.config.Secret;
import dev.pipecd.domain.Problem;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CacheAddressTest {
    /// Services of a composition are often called so.
    @ParameterizedTest
    @CsvSource({
        "pipecd_redis:6379, pipecd_redis, 6379, false, 0, '', ''",
        "redis://pipecd_redis, pipecd_redis, 6379, false, 0, '', ''",
        "rediss://me_too:pass_%40word@my_redis.local:7000/3, my_redis.local, 7000, true, 3, me_too, pass_@word",
        "redis://redis:6380/1, redis, 6380, false, 1, '', ''",
        "'redis://[::1]:6380', [::1], 6380, false, 0, '', ''",
    })
    void aHostMayHaveAnUnderscore(
            String text,
            String host,
            int port,
            boolean tls,
            int database,
            String user,
            String password) {
        assertThat(address(text).place())
                .isEqualTo(new CacheAddress.Place(host, port, tls, database, user, password));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://",
                "http://pipecd_redis",
                "redis://my_redis:port",
                "redis://a b",
                ":6379"
            })
    void whatNamesNoHostIsRefused(String text) {
        assertThatThrownBy(() -> address(text).place())
                .isInstanceOf(Problem.class)
                .hasMessageStartingWith("cache address: not understood");
    }

    private static CacheAddress address(String text) {
        return new CacheAddress(Secret.written("address", text), Secret.none(), "");
    }
}
