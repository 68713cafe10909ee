// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import java.util.List;

/// Looks at what the sections older than plugins hold, for mistakes; it is the plugins that use it.
final class OldSectionsReader {
    private OldSectionsReader() {}

    /// What reaches a platform.
    @Keys(
            """
            platformProviders[].config.vars | | | `TERRAFORM`: variables, as `NAME=VALUE`.
            platformProviders[].config.driftDetectionEnabled | | | `TERRAFORM`: whether what runs is compared with Git.
            platformProviders[].config.project, region | | | `CLOUDRUN`: where it runs.
            platformProviders[].config.credentialsFile | path | | `CLOUDRUN`: who we are.
            platformProviders[].config.awsAPIPollingInterval | duration | | `LAMBDA`: how often AWS is asked.
            """)
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

    @Keys(
            """
            platformProviders[].config.masterURL | | | `KUBERNETES`: the cluster's API.
            platformProviders[].config.kubeConfigPath | path | | `KUBERNETES`: how it is reached.
            platformProviders[].config.kubectlVersion | | | `KUBERNETES`: which `kubectl`.
            platformProviders[].config.appStateInformer.namespace | | all | `KUBERNETES`: the one that is watched.
            """)
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

    @Keys(
            """
            platformProviders[].config.appStateInformer.includeResources[].apiVersion, kind | | | `KUBERNETES`: kinds watched besides the usual ones.
            platformProviders[].config.appStateInformer.excludeResources[].apiVersion, kind | | | `KUBERNETES`: kinds that are not.
            """)
    private static Fields resource(Fields resource) {
        resource.at("apiVersion").text();
        resource.at("kind").text();
        return resource;
    }

    @Keys(
            """
            platformProviders[].config.region | | | `LAMBDA`, `ECS`: where it runs.
            platformProviders[].config.credentialsFile, roleARN, tokenFile, profile | path, text, path, text | | `LAMBDA`, `ECS`: who we are.
            """)
    private static void aws(Fields config) {
        config.at("region").required();
        config.at("credentialsFile").hidden();
        config.at("roleARN").text();
        config.at("tokenFile").hidden();
        config.at("profile").text();
    }

    @Keys(
            """
            chartRepositories[].type | | | Told to the plugin `kubernetes` under this name, as all of the list.
            chartRepositories[].name, address | | | `HTTP`: what applications call it, and where it is.
            chartRepositories[].username, password | text, secret | | `HTTP`: who we are there.
            chartRepositories[].insecure | | | `HTTP`: believe any certificate.
            chartRepositories[].gitRemote | | | `GIT`: where charts are cloned from.
            chartRepositories[].sshKeyFile | path | | `GIT`: the key for that.
            """)
    static void chartRepository(Fields repository) {
        var type = repository.at("type").choice(List.of("HTTP", "GIT"), "HTTP");
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

    @Keys(
            """
            chartRegistries[].type | | | Told to the plugin `kubernetes` under this name, as all of the list.
            chartRegistries[].address | | | The registry.
            chartRegistries[].username, password | text, secret | | Who we are there.
            """)
    static void chartRegistry(Fields registry) {
        registry.at("type").choice(List.of("OCI"), "OCI");
        registry.at("address").remote();
        registry.at("username").text();
        registry.at("password").hidden();
    }

    @Keys(
            """
            analysisProviders[].name | | | What analyses name. Told to the plugin `analysis` under this name, as all of the list.
            analysisProviders[].type | | | What is asked.
            analysisProviders[].config | | | Shown masked.
            """)
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

    @Keys(
            """
            analysisProviders[].config.address | | | `PROMETHEUS`: its URL.
            analysisProviders[].config.usernameFile, passwordFile | path | | `PROMETHEUS`: who we are there.
            analysisProviders[].config.address | | | `DATADOG`: its host.
            analysisProviders[].config.apiKeyFile, apiKeyData | path, secret in Base64 | one is required | `DATADOG`: its API key.
            analysisProviders[].config.applicationKeyFile, applicationKeyData | path, secret in Base64 | one is required | `DATADOG`: its application key.
            analysisProviders[].config.serviceAccountFile | path | | `STACKDRIVER`: who we are.
            """)
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
