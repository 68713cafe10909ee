// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class EndpointTest {
    @ParameterizedTest
    @CsvSource({
        "http://my_minio:9000, my_minio, http://my-minio:9000",
        "http://minio:9000/a_b, minio, http://minio:9000/a_b",
        "https://a_b.c_d/e_f?g_h, a_b.c_d, https://a-b.c-d/e_f?g_h",
        "redis://u_1:p_2@my_redis:1/0, my_redis, redis://u_1:p_2@my-redis:1/0",
    })
    void underscoresOfTheHostAreKeptBesideWhatCanBeAskedForItsParts(
            String text, String host, String uri) {
        assertThat(Endpoint.parsed(text)).hasValue(new Endpoint(URI.create(uri), host));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "http:", "http://", "http://a b", "http://a_b:c", "minio:9000"})
    void whatNamesNoHostIsNone(String text) {
        assertThat(Endpoint.parsed(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"http://me:secret@my_minio:9000/a", "http://my_minio:9000/a"})
    void itIsToldAsWrittenWithoutWhoAsks(String text) {
        var endpoint = Endpoint.parsed(text).orElseThrow();

        assertThat(endpoint.told()).isEqualTo("http://my_minio:9000/a");
        assertThat(endpoint).hasToString("Endpoint[my_minio]");
    }
}
