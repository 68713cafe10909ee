// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import java.util.List;

/// Looks at what the sections older than plugins hold, for mistakes; it is the plugins that use it.
final class OldSectionsReader {
    private OldSectionsReader() {}

    /// What reaches a platform.
    static void target(String type, Fields config) {
        switch (type) {
            case "KUBERNETES" -> kubernetes(config);
            case "TERRAFORM" -> {
                config.at("vars").texts();
                config.at("driftDetectionEnabled").flag(true);
            }
            case "CLOUDRUN" -> {
                config.at("project").text();
                config.at("region").text();
                config.at("credentialsFile").hidden();
            }
            case "LAMBDA" -> {
                aws(config);
                config.at("awsAPIPollingInterval").text();
            }
            case "ECS" -> aws(config);
            default -> config.skip();
        }
    }

    private static void kubernetes(Fields config) {
        config.at("masterURL").text();
        config.at("kubeConfigPath").text();
        config.at("kubectlVersion").text();
        config.at("appStateInformer")
                .section(informer -> {
                    informer.at("namespace").text();
                    informer.at("includeResources").each(OldSectionsReader::resource);
                    return informer.at("excludeResources").each(OldSectionsReader::resource);
                });
    }

    private static Fields resource(Fields resource) {
        resource.at("apiVersion").text();
        resource.at("kind").text();
        return resource;
    }

    private static void aws(Fields config) {
        config.at("region").required();
        config.at("credentialsFile").hidden();
        config.at("roleARN").text();
        config.at("tokenFile").hidden();
        config.at("profile").text();
    }

    static void chartRepository(Fields repository) {
        var type = repository.at("type").choice(List.of("HTTP", "GIT")).orElse("HTTP");
        if (type.equals("GIT")) {
            repository.at("gitRemote").remote();
            repository.at("sshKeyFile").hidden();
        } else {
            repository.at("name").required();
            repository.at("address").remote();
            repository.at("username").text();
            repository.at("password").hidden();
            repository.at("insecure").flag(false);
        }
    }

    static void chartRegistry(Fields registry) {
        registry.at("type").requiredChoice(List.of("OCI"));
        registry.at("address").remote();
        registry.at("username").text();
        registry.at("password").hidden();
    }

    static void analysisProvider(Fields provider) {
        provider.at("name").required();
        var type =
                provider.at("type").requiredChoice(List.of("PROMETHEUS", "DATADOG", "STACKDRIVER"));
        var config = provider.at("config");
        config.section(fields -> {
            analysis(type.orElse(""), fields);
            return fields;
        });
        config.json();
    }

    private static void analysis(String type, Fields config) {
        switch (type) {
            case "PROMETHEUS" -> {
                config.at("address").remote();
                config.at("usernameFile").hidden();
                config.at("passwordFile").hidden();
            }
            case "DATADOG" -> {
                config.at("address").text();
                oneOf(config.at("apiKeyFile"), config.at("apiKeyData"));
                oneOf(config.at("applicationKeyFile"), config.at("applicationKeyData"));
            }
            case "STACKDRIVER" -> config.at("serviceAccountFile").hidden();
            default -> config.skip();
        }
    }

    private static void oneOf(Field file, Field data) {
        var inFile = !file.hidden().isEmpty();
        var inData = data.base64().isSet();
        if (inFile && inData)
            data.mistake("beside %s (expected: only one of the two)".formatted(file.path()));
        if (!inFile && !inData)
            file.mistake("missing (expected: %s or %s)".formatted(file.key(), data.key()));
    }
}
