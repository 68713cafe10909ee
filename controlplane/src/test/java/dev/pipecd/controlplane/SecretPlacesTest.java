// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.config.Secret;
import dev.pipecd.wire.api.EncryptRequest;
import dev.pipecd.wire.audit.ListAuditEntriesRequest;
import dev.pipecd.wire.delivery.GetEventRequest;
import dev.pipecd.wire.health.GetPipedHealthRequest;
import dev.pipecd.wire.link.WatchRequest;
import dev.pipecd.wire.piped.ReportStatRequest;
import dev.pipecd.wire.session.GetPermissionsRequest;
import dev.pipecd.wire.stored.StoredAPIKey;
import dev.pipecd.wire.web.GetMeRequest;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Every place that takes a secret is known to `CanaryTest`: who adds one is sent there by this
/// test, to plant a canary in `HostileServer` or to say here why there is none.
final class SecretPlacesTest {
    /// What is planted in the place, or why nothing is.
    private static final Map<String, String> CONFIGURED =
            Map.ofEntries(
                    Map.entry("Login.stateKey", "state"),
                    Map.entry("Webhook.secret", "webhook"),
                    Map.entry("Server.url", "dsn"),
                    Map.entry("Server.username", "in Server.url"),
                    Map.entry("Server.password", "in Server.url"),
                    Map.entry("Minio.accessKey", "access"),
                    Map.entry("Minio.secretKey", "s3"),
                    Map.entry("Cache.address", "redis"),
                    Map.entry("Cache.password", "redis"),
                    Map.entry("StaticAdmin.passwordHash", "$2a$"),
                    Map.entry("Client.id", "told to the browser by every login"),
                    Map.entry("Client.secret", "sso, oidc"),
                    Map.entry("GitHub.proxyUrl", "proxy"),
                    Map.entry("Oidc.proxyUrl", "oidc-proxy"));

    private static final Map<String, String> SENT =
            Map.ofEntries(
                    Map.entry("model.ProjectStaticUser.password_hash", "$2a$"),
                    Map.entry("model.PipedKey.hash", "$2a$"),
                    Map.entry("model.APIKey.key_hash", "$2a$"),
                    Map.entry("pipecd.stored.v1.StoredAPIKey.key_hash", "$2a$"),
                    Map.entry("model.ProjectSSOConfig.GitHub.client_id", "own-id"),
                    Map.entry("model.ProjectSSOConfig.GitHub.client_secret", "own-sso"),
                    Map.entry("model.ProjectSSOConfig.Oidc.client_id", "own-oidc-id"),
                    Map.entry("model.ProjectSSOConfig.Oidc.client_secret", "own-oidc"),
                    Map.entry("model.ProjectSSOConfig.GitHub.proxy_url", "own-proxy"),
                    Map.entry("model.ProjectSSOConfig.Oidc.proxy_url", "own-oidc-proxy"),
                    Map.entry("model.ProjectSSOConfig.Google.client_id", "not offered"),
                    Map.entry("model.ProjectSSOConfig.Google.client_secret", "not offered"),
                    Map.entry("grpc.service.webservice.RegisterPipedResponse.key", "given"),
                    Map.entry("grpc.service.webservice.RecreatePipedKeyResponse.key", "given"),
                    Map.entry("grpc.service.webservice.GenerateAPIKeyResponse.key", "given"),
                    Map.entry("grpc.service.apiservice.RegisterPipedResponse.key", "given"),
                    Map.entry("pipecd.session.v1.GenerateAPIKeyResponse.key", "given"),
                    Map.entry(
                            "grpc.service.webservice.UpdateProjectStaticAdminRequest.password",
                            "$2a$"),
                    Map.entry("grpc.service.apiservice.EncryptRequest.plaintext", "sealed"));

    private static final Pattern SOUNDS_SECRET =
            Pattern.compile(
                    "secret|password|plaintext|credential|client_id|proxy_url|token$|(^|_)key$|(^|key_|password_)hash$");

    /// Names of things, not of secrets.
    private static final Pattern HARMLESS =
            Pattern.compile(
                    "\\.(event_key|public_key|\\w+_claim_key)$|ApplicationSharedObjectRequest\\.key$|Commit\\.hash$|Entry\\.key$");

    @Test
    void everySecretOfTheConfigurationIsKnown() {
        var found = new TreeSet<String>();
        secrets(ControlPlaneConfig.class, new HashSet<>(), found);

        assertThat(found).isEqualTo(new TreeSet<>(CONFIGURED.keySet()));
    }

    private static void secrets(Type type, Set<Type> seen, Set<String> found) {
        if (type instanceof ParameterizedType many)
            Arrays.stream(many.getActualTypeArguments()).forEach(t -> secrets(t, seen, found));
        if (!(type instanceof Class<?> one) || !seen.add(type)) return;
        if (one.isSealed())
            Arrays.stream(one.getPermittedSubclasses()).forEach(t -> secrets(t, seen, found));
        if (!one.isRecord() || !one.getName().startsWith("dev.pipecd.")) return;
        for (var part : one.getRecordComponents()) {
            if (part.getType() == Secret.class)
                found.add(one.getSimpleName() + "." + part.getName());
            else secrets(part.getGenericType(), seen, found);
        }
    }

    @Test
    void everySecretOfAMessageIsKnown() {
        var files = new HashSet<FileDescriptor>();
        Stream.of(
                        ReportStatRequest.getDescriptor(),
                        GetMeRequest.getDescriptor(),
                        EncryptRequest.getDescriptor(),
                        WatchRequest.getDescriptor(),
                        GetPermissionsRequest.getDescriptor(),
                        ListAuditEntriesRequest.getDescriptor(),
                        GetEventRequest.getDescriptor(),
                        GetPipedHealthRequest.getDescriptor(),
                        StoredAPIKey.getDescriptor())
                .forEach(type -> files(type.getFile(), files));
        var found = new TreeSet<String>();
        files.forEach(file -> file.getMessageTypes().forEach(type -> fields(type, found)));

        assertThat(found).isEqualTo(new TreeSet<>(SENT.keySet()));
    }

    private static void files(FileDescriptor file, Set<FileDescriptor> found) {
        if (file.getPackage().startsWith("google.") || file.getPackage().startsWith("buf.")) return;
        if (found.add(file)) file.getDependencies().forEach(f -> files(f, found));
    }

    private static void fields(Descriptor type, Set<String> found) {
        type.getNestedTypes().forEach(nested -> fields(nested, found));
        for (var field : type.getFields()) {
            var text =
                    field.getJavaType() == FieldDescriptor.JavaType.STRING
                            || field.getJavaType() == FieldDescriptor.JavaType.BYTE_STRING;
            if (text
                    && SOUNDS_SECRET.matcher(field.getName()).find()
                    && !HARMLESS.matcher(field.getFullName()).find())
                found.add(field.getFullName());
        }
    }
}
