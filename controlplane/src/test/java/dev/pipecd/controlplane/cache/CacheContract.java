// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/// What every cache promises.
interface CacheContract {
    Cache cache();

    @Test
    default void theLastValuePutIsTheOneGot() {
        cache().put("h", "a", "1");
        cache().put("h", "a", "ü\n");
        cache().put("h", "b", "");
        cache().put("other", "a", "3");

        assertThat(cache().all("h")).isEqualTo(Map.of("a", "ü\n", "b", ""));
        assertThat(cache().get("h", "a")).hasValue("ü\n");
        assertThat(cache().get("h", "b")).hasValue("");
        assertThat(cache().fields("h")).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    default void whatWasRemovedOrNeverPutIsNotThere() {
        cache().put("gone", "a", "1");

        cache().remove("gone", "a");
        cache().remove("gone", "never");
        cache().remove("never", "a");

        assertThat(cache().all("gone")).isEmpty();
        assertThat(cache().all("never")).isEmpty();
        assertThat(cache().fields("never")).isEmpty();
        assertThat(cache().get("gone", "a")).isEmpty();
    }
}
