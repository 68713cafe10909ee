// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import static dev.pipecd.config.read.Reading.controlPlane;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.config.Loaded;
import dev.pipecd.config.Secret;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Every secret the records of a control plane's configuration can hold, found by looking at the
/// records.
final class EverySecretTest {
    private static final String CANARY = "canary-c4n4ry";

    /// All secrets but those of stores, which are one or the other.
    private static final String COMMON =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: ControlPlane
            spec:
              stateKey: @
              webhook: {secret: @}
              ops: {owner: {username: o, passwordHash: @}}
              cache: {address: @, password: @}
              projects: [{id: a, staticAdmin: {username: u, passwordHash: @}}]
              sharedSSOConfigs:
                - {name: hub, provider: GITHUB, github: {clientId: @, clientSecret: @, proxyUrl: %}}
                - name: open
                  provider: OIDC
                  oidc: {clientId: @, clientSecret: @, issuer: i, proxyUrl: %}
                - {name: g, provider: GOOGLE, google: {clientId: @, clientSecret: @}}
            """;

    private static final List<String> STORES =
            List.of(
                    "  datastore: {type: MYSQL, config: {url: @, database: d, usernameFile: @, passwordFile: @}}\n"
                            + "  filestore: {type: MINIO, config: {endpoint: e, bucket: b, accessKeyFile: @, secretKeyFile: @}}\n",
                    "  datastore: {type: MARIADB, config: {url: @, database: d, usernameFile: @, passwordFile: @}}\n");

    @TempDir Path folder;

    @Test
    void maySayWhereItIsInsteadOfBeingIt() throws Exception {
        var file = Files.writeString(folder.resolve("secret"), CANARY + "\n");

        var seen = new TreeSet<String>();
        for (var stores : STORES)
            for (var found : secrets(read(stores, "file:" + file), "")) {
                seen.add(found.name());
                assertThat(found.secret().reveal()).as(found.name()).isEqualTo(CANARY);
            }

        assertThat(seen).isEqualTo(declared(ControlPlaneConfig.class, ""));
        assertThat(seen).hasSizeGreaterThan(10);
    }

    @Test
    void leadsToAnErrorThatNamesItWhenItLeadsNowhere() {
        for (var stores : STORES)
            for (var found : secrets(read(stores, "env:PIPECD_NO_SUCH_VARIABLE"), ""))
                assertThat(told(found.secret()))
                        .as(found.name())
                        .startsWith("spec.")
                        .endsWith(
                                ": env:PIPECD_NO_SUCH_VARIABLE (expected: an environment variable that is set)");
    }

    @Test
    void isNeverShown() {
        for (var stores : STORES) {
            var loaded = loaded(stores.replace("File: @", "File: file:x"), CANARY);

            assertThat(loaded.masked() + loaded + loaded.warnings()).doesNotContain(CANARY);
        }
    }

    private static String told(Secret secret) {
        try {
            return secret.reveal();
        } catch (RuntimeException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static ControlPlaneConfig read(String stores, String secret) {
        return loaded(stores, secret).value();
    }

    private static Loaded<ControlPlaneConfig> loaded(String stores, String secret) {
        var proxy = Secret.isReference(secret) ? secret : "http://u:" + secret + "@proxy";
        return controlPlane(
                (COMMON + stores).replace("@", "'" + secret + "'").replace("%", "'" + proxy + "'"));
    }

    private record Found(String name, Secret secret) {}

    /// What a value holds, under the names of the components that lead there.
    private static List<Found> secrets(Object value, String name) {
        if (value instanceof Secret secret) return List.of(new Found(name, secret));
        var found = new ArrayList<Found>();
        if (value instanceof Collection<?> all)
            all.forEach(one -> found.addAll(secrets(one, name)));
        else if (value instanceof Record)
            for (var component : value.getClass().getRecordComponents())
                found.addAll(
                        secrets(valueOf(component, value), named(value.getClass(), component)));
        return found;
    }

    private static Object valueOf(RecordComponent component, Object of) {
        try {
            return component.getAccessor().invoke(of);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static String named(Class<?> type, RecordComponent component) {
        return type.getSimpleName() + "." + component.getName();
    }

    private static Set<String> declared(Class<?> type, String name) {
        if (type.equals(Secret.class)) return Set.of(name);
        var found = new TreeSet<String>();
        if (type.isSealed())
            Arrays.stream(type.getPermittedSubclasses())
                    .forEach(sub -> found.addAll(declared(sub, name)));
        if (type.isRecord())
            for (var component : type.getRecordComponents())
                found.addAll(declared(element(component), named(type, component)));
        return found;
    }

    private static Class<?> element(RecordComponent component) {
        return component.getGenericType() instanceof ParameterizedType list
                        && list.getActualTypeArguments()[0] instanceof Class<?> element
                ? element
                : component.getType();
    }
}
