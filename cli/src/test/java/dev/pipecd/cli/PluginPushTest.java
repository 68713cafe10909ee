// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Run.pipectl;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginPushTest {
    private static final String PLUGIN = "application/vnd.pipecd.piped.plugin";

    private final OciRegistry registry = OciRegistry.start();

    @TempDir Path folder;

    @AfterEach
    void stop() {
        registry.close();
    }

    @Test
    void anAgentFindsTheFileOfItsPlatformFromTheTag() throws IOException {
        var run = push();

        assertThat(run.code()).as(run.err()).isZero();
        var index = registry.manifest("v1");
        assertThat(run.out())
                .isEqualTo(
                        "Pushed oci://%s/org/plugin:v1@%s\n"
                                .formatted(registry.address(), registry.digest("v1")));
        assertThat(index.get("mediaType").getAsString())
                .isEqualTo("application/vnd.oci.image.index.v1+json");
        assertThat(fileOf(index, "linux", "amd64")).isEqualTo("for amd64");
        assertThat(fileOf(index, "linux", "arm64")).isEqualTo("for arm64");
    }

    private String fileOf(JsonObject index, String os, String architecture) {
        for (var each : index.getAsJsonArray("manifests")) {
            var platform = each.getAsJsonObject().getAsJsonObject("platform");
            if (!platform.get("os").getAsString().equals(os)
                    || !platform.get("architecture").getAsString().equals(architecture)) continue;
            var manifest = registry.manifest(each.getAsJsonObject().get("digest").getAsString());
            assertThat(manifest.get("artifactType").getAsString()).isEqualTo(PLUGIN + "+type");
            var layer = manifest.getAsJsonArray("layers").get(0).getAsJsonObject();
            assertThat(layer.get("mediaType").getAsString()).isEqualTo(PLUGIN);
            var content = registry.blob(layer.get("digest").getAsString());
            assertThat(layer.get("size").getAsInt()).isEqualTo(content.length);
            return new String(content, StandardCharsets.UTF_8);
        }
        throw new AssertionError("no " + os + "/" + architecture + " in " + index);
    }

    @Test
    void theTagIsWrittenLast() throws IOException {
        push();

        assertThat(registry.written().getLast()).isEqualTo("/v2/org/plugin/manifests/v1");
    }

    @Test
    void whatTheRegistryHasIsNotSentAgain() throws IOException {
        push();
        var before = registry.uploads();

        push();

        assertThat(registry.uploads()).isEqualTo(before);
    }

    @Test
    void nameAndPasswordAreGivenWhereAskedFor() throws IOException {
        registry.wantsPassword("ci", "s3cret");
        var password = Files.writeString(folder.resolve("password"), "s3cret\n").toString();

        var run = push("--username", "ci", "--password-file", password);

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out() + run.err()).doesNotContain("s3cret");
    }

    @Test
    void aTokenIsFetchedWhereAskedFor() throws IOException {
        registry.wantsToken("ci", "s3cret");
        var password = Files.writeString(folder.resolve("password"), "s3cret\n").toString();

        var run = push("--username", "ci", "--password-file", password);

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(registry.tokenScopes()).contains("repository:org/plugin:pull,push");
    }

    @Test
    void aWrongPasswordIsToldWithoutIt() throws IOException {
        registry.wantsPassword("ci", "s3cret");
        var password = Files.writeString(folder.resolve("password"), "wr0ng").toString();

        var run = push("--username", "ci", "--password-file", password);

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .contains(
                        "Error: --registry: %s refused to open an upload with status 401 (expected: success)"
                                .formatted(registry.address()))
                .endsWith("It was asked as --username ci: give one who may push to org/plugin.\n")
                .doesNotContain("wr0ng");
    }

    @Test
    void whatDockerLoginLeftIsUsed() throws IOException {
        registry.wantsPassword("ci", "s3cret");
        var auth = Base64.getEncoder().encodeToString("ci:s3cret".getBytes(StandardCharsets.UTF_8));
        Files.writeString(
                folder.resolve("config.json"),
                "{\"auths\":{\"%s\":{\"auth\":\"%s\"}}}".formatted(registry.address(), auth));

        var run = new Surroundings().with("DOCKER_CONFIG", folder.toString()).pipectl(arguments());

        assertThat(run.code()).as(run.err()).isZero();
    }

    @Test
    void aRegistryThatIsNotThereIsTold() throws IOException {
        registry.close();

        var run = push();

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .contains(
                        "Error: --registry: %s (expected: a registry that answers; "
                                .formatted(registry.address()))
                .endsWith("Check host and port, and that it speaks plain HTTP there.\n");
    }

    @Test
    void aPlatformWithoutFileIsACallingMistake() {
        var run =
                pipectl(
                        "plugin",
                        "push",
                        "--files=linux=plugin",
                        "--tag=v1",
                        "--registry=r",
                        "--repository=p");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .startsWith(
                        "Error: --files: linux=plugin (expected: OS/ARCH=FILE, for example linux/amd64=out/plugin)\n");
    }

    @Test
    void aRegistryWithASchemeIsTold() {
        var run =
                pipectl(
                        "plugin",
                        "push",
                        "--files=linux/amd64=x",
                        "--tag=v1",
                        "--registry=https://ghcr.io",
                        "--repository=org/p");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                "Error: --registry: https://ghcr.io (expected: host or host:port, without https://). Correct the flag.\n"));
    }

    private Run push(String... flags) throws IOException {
        return pipectl(
                Stream.concat(Arrays.stream(arguments()), Stream.of(flags)).toArray(String[]::new));
    }

    private String[] arguments() throws IOException {
        var amd = Files.writeString(folder.resolve("amd64"), "for amd64");
        var arm = Files.writeString(folder.resolve("arm64"), "for arm64");
        return new String[] {
            "plugin",
            "push",
            "--files",
            "linux/amd64=%s,linux/arm64=%s".formatted(amd, arm),
            "--tag=v1",
            "--registry=" + registry.address(),
            "--repository=org/plugin",
            "--insecure"
        };
    }

    @Test
    void theManifestsAreJsonOfOneLine() throws IOException {
        push();

        assertThat(JsonParser.parseString(registry.text("v1")).toString())
                .isEqualTo(registry.text("v1"));
    }
}
