// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.agent.secret.SealedBySomebodyElse;
import dev.pipecd.agent.secret.Secrets;
import dev.pipecd.agent.secret.Unsealing;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.GitBinary;
import dev.pipecd.agent.source.GitRemote;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.source.Repository;
import dev.pipecd.config.SecretManagement;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentTrigger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SourcesTest {
    private static final RepositoryId DEMO = new RepositoryId("demo");

    @TempDir Path directory;
    private GitRemote remote;
    private Repositories repositories;

    @BeforeEach
    void start() {
        remote = GitRemote.init(directory.resolve("remote"));
        repositories =
                new Repositories(
                        directory.resolve("mirrors"),
                        List.of(new Repository(DEMO, remote.address(), "main")),
                        GitBinary.onPath(GitRemote.access(directory.resolve("git"))),
                        InstantSource.system());
    }

    @AfterEach
    void stop() {
        repositories.close();
    }

    @Test
    void aPluginFindsSecretsAndAttachedFilesFilledIn() {
        remote.write("site/deploy.yaml", "password: {{ .encryptedSecrets.password | quote }}\n")
                .write("site/run.sh", "#!/bin/sh\necho {{ .encryptedSecrets.password | b64enc }}\n")
                .write("site/config.tmpl", "p={{ .encryptedSecrets.password }}")
                .write("site/map.yaml", "data: {{ .attachment.config | b64enc }}\n")
                .write("site/plain.yaml", "left: {{ .alone }}\n");
        assertThat(directory.resolve("remote/site/run.sh").toFile().setExecutable(true)).isTrue();
        var deployment =
                deployment(
                        """
                          encryption:
                            encryptedSecrets: {password: %s}
                            decryptionTargets: [deploy.yaml, ./run.sh, config.tmpl]
                          attachment:
                            sources: {config: config.tmpl}
                            targets: [map.yaml]
                        """
                                .formatted(SealedBySomebodyElse.sealed().strip()));

        var site = sources().target(deployment, "stage").applicationDirectory();

        assertThat(site.resolve("deploy.yaml")).hasContent("password: \"s3cret: pässword\"\n");
        assertThat(site.resolve("run.sh"))
                .hasContent("#!/bin/sh\necho %s\n".formatted(base64(SealedBySomebodyElse.TEXT)))
                .isExecutable();
        assertThat(site.resolve("map.yaml"))
                .hasContent("data: %s\n".formatted(base64("p=" + SealedBySomebodyElse.TEXT)));
        assertThat(site.resolve("plain.yaml")).hasContent("left: {{ .alone }}\n");
    }

    @Test
    void whatASecretSaysIsNeverTakenForATemplate() {
        remote.write("site/both.yaml", "{{ .encryptedSecrets.password }} {{ .attachment.note }}")
                .write("site/note", "{{ .no.such.thing }}");
        var deployment =
                deployment(
                        """
                          encryption:
                            encryptedSecrets: {password: %s}
                            decryptionTargets: [both.yaml]
                          attachment:
                            sources: {note: note}
                            targets: [both.yaml]
                        """
                                .formatted(SealedBySomebodyElse.sealed().strip()));

        var site = sources().target(deployment, "stage").applicationDirectory();

        assertThat(site.resolve("both.yaml"))
                .hasContent(SealedBySomebodyElse.TEXT + " {{ .no.such.thing }}");
    }

    @Test
    void nobodyElseCanLookAtWhatWasOpenedAndNothingOfItStays() throws IOException {
        remote.write("site/deploy.yaml", "{{ .encryptedSecrets.password }}");
        var deployment = deployment(encryption("deploy.yaml"));
        var sources = sources();
        var file =
                sources.target(deployment, "stage").applicationDirectory().resolve("deploy.yaml");

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(directory.resolve("work"))))
                .isEqualTo("rwx------");

        sources.remove(deployment);

        assertThat(directory.resolve("work")).isEmptyDirectory();
    }

    /// As build tools leave what they keep; the superuser may delete it all the same.
    @Test
    void whatIsOpenedGoesAlsoFromBesideFoldersThatAreLocked() throws IOException {
        remote.write("site/deploy.yaml", "{{ .encryptedSecrets.password }}");
        var deployment = deployment(encryption("deploy.yaml"));
        var sources = sources();
        var site = sources.target(deployment, "stage").applicationDirectory();
        for (var rights : List.of("r-xr-xr-x", "---------")) {
            var locked = Files.createDirectories(site.resolve("z" + rights + "/module"));
            Files.createFile(locked.resolve("file"));
            Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString(rights));
        }

        sources.remove(deployment);

        assertThat(directory.resolve("work")).isEmptyDirectory();
    }

    @Test
    void afterACrashOnlyTheSourcesOfDeploymentsThatGoOnAreLeft() {
        remote.write("site/deploy.yaml", "{{ .encryptedSecrets.password }}");
        var over = deployment(encryption("deploy.yaml"));
        var goesOn = over.toBuilder().setId("d2").build();
        sources().target(over, "stage");
        var kept = sources(Set.of(new DeploymentId("d1"))).target(goesOn, "stage");

        sources(Set.of(new DeploymentId("d2")));

        assertThat(directory.resolve("work/d1")).doesNotExist();
        assertThat(kept.applicationDirectory().resolve("deploy.yaml"))
                .hasContent(SealedBySomebodyElse.TEXT);
    }

    @Test
    void whatACrashLeftHalfOpenedIsGoneAfterTheNextStartAndWhatIsWholeStays() throws IOException {
        remote.write("site/deploy.yaml", "{{ .encryptedSecrets.password }}");
        var whole = sources().target(deployment(encryption("deploy.yaml")), "stage");
        var half = directory.resolve("work/d1/.tmp-1/site");
        Files.createDirectories(half);
        Files.writeString(half.resolve("deploy.yaml"), SealedBySomebodyElse.TEXT);
        var begun = Files.createFile(directory.resolve("work/d1/other.begun"));

        sources(Set.of(new DeploymentId("d1")));

        assertThat(begun).exists();
        assertThat(directory.resolve("work/d1/.tmp-1")).doesNotExist();
        assertThat(whole.applicationDirectory().resolve("deploy.yaml"))
                .hasContent(SealedBySomebodyElse.TEXT);
        sources(Set.of());
        assertThat(directory.resolve("work")).isEmptyDirectory();
    }

    @Test
    void whatNobodyReadWhileItWasPlannedIsGivenToTheFirstStageAlone() throws IOException {
        remote.write("site/deploy.yaml", "{{ .encryptedSecrets.password }}");
        var deployment = deployment(encryption("deploy.yaml"));
        var sources = sources();
        var planned = sources.target(deployment, Sources.FRESH).applicationDirectory();
        Files.writeString(planned.resolve("mark"), "the same");
        var read = sources.target(deployment, Sources.PLAN).applicationDirectory();

        sources.handOver(deployment, "s1");
        sources.handOver(deployment, "s2");
        var first = sources.target(deployment, "s1").applicationDirectory();
        var second = sources.target(deployment, "s2").applicationDirectory();

        assertThat(planned).doesNotExist();
        assertThat(read).exists();
        assertThat(first.resolve("mark")).hasContent("the same");
        assertThat(second.resolve("mark")).doesNotExist();
        assertThat(second.resolve("deploy.yaml")).hasContent(SealedBySomebodyElse.TEXT);
    }

    /// As an agent finds it that was killed in between, or whose stage is called again.
    @Test
    void whatAStageHasIsNotReplacedByWhatWasPlannedWith() throws IOException {
        remote.write("site/deploy.yaml", "{{ .encryptedSecrets.password }}");
        var deployment = deployment(encryption("deploy.yaml"));
        var sources = sources();
        sources.target(deployment, Sources.FRESH);
        var own = sources.target(deployment, "s1").applicationDirectory();
        Files.writeString(own.resolve("mark"), "its own");

        sources.handOver(deployment, "s1");

        assertThat(sources.target(deployment, "s1").applicationDirectory().resolve("mark"))
                .hasContent("its own");
    }

    @Test
    void noIdLeadsOutOfTheFolder() {
        var deployment = deployment("");

        assertThatThrownBy(() -> sources().target(deployment, "../../s"))
                .hasMessage("id: ../../s.target (expected: a plain name)");
        assertThatThrownBy(() -> sources().target(deployment.toBuilder().setId("..").build(), "s"))
                .hasMessage("id: .. (expected: a plain name)");
    }

    @Test
    void aSourceThatCannotBeFilledInIsNotThereAtAll() throws IOException {
        remote.write("site/a.yaml", "{{ .encryptedSecrets.password }}")
                .write("site/b.yaml", "one\n{{ if true }}");
        var deployment = deployment(encryption("a.yaml, b.yaml"));
        var sources = sources();

        for (var attempt = 0; attempt < 2; attempt++)
            assertThatThrownBy(() -> sources.target(deployment, "stage"))
                    .isInstanceOf(Problem.class)
                    .hasMessage(
                            "b.yaml: line 2: if (expected: one of b64dec, b64enc, default, indent,"
                                    + " quote, trim)");

        try (var left = Files.walk(directory.resolve("work"))) {
            assertThat(left.filter(Files::isRegularFile)).isEmpty();
        }
    }

    @Test
    void noPathLeadsOutOfWhatWasExported() throws IOException {
        Files.writeString(directory.resolve("outside"), "{{ .encryptedSecrets.password }}");
        remote.write("site/deploy.yaml", "x");
        for (var path : List.of("../../outside", "/etc/hostname", "../../../../../outside"))
            assertThatThrownBy(() ->
                            sources().target(deployment(encryption("\"%s\"".formatted(path))), "s"))
                    .as(path)
                    .hasMessage(
                            "encryption.decryptionTargets: \"%s\" (expected: a file inside the application's directory)"
                                    .formatted(path));
        assertThatThrownBy(() -> sources().target(deployment(encryption("missing.yaml")), "s"))
                .hasMessage(
                        "encryption.decryptionTargets: \"missing.yaml\" (expected: a file of the application)");
    }

    @Test
    void anAgentWithoutKeysDoesNotDeployAnApplicationWithSecrets() {
        remote.write("site/deploy.yaml", "{{ .encryptedSecrets.password }}");
        var deployment = deployment(encryption("deploy.yaml"));
        var sources =
                new Sources(
                        repositories,
                        new ApplicationFiles(repositories),
                        directory.resolve("work"),
                        new Unsealing(new Secrets(new SecretManagement.Unset())),
                        Set.of());

        assertThatThrownBy(() -> sources.target(deployment, "stage"))
                .hasMessage(
                        "encryption.encryptedSecrets.password: sealed (expected: an agent that can open it)");
    }

    private Sources sources() {
        return sources(Set.of());
    }

    private Sources sources(Set<DeploymentId> alive) {
        return new Sources(
                repositories,
                new ApplicationFiles(repositories),
                directory.resolve("work"),
                new Unsealing(new Secrets(SealedBySomebodyElse.pair())),
                alive);
    }

    private static String encryption(String targets) {
        return """
          encryption:
            encryptedSecrets: {password: %s}
            decryptionTargets: [%s]
        """
                .formatted(SealedBySomebodyElse.sealed().strip(), targets);
    }

    private Deployment deployment(String additions) {
        var head =
                remote.write(
                                "site/app.pipecd.yaml",
                                """
                                apiVersion: pipecd.dev/v1beta1
                                kind: Application
                                spec:
                                  name: site
                                """
                                        + additions)
                        .commit("Add the site");
        repositories.fetch(DEMO);
        return Deployment.newBuilder()
                .setId("d1")
                .setGitPath(
                        ApplicationGitPath.newBuilder()
                                .setRepo(ApplicationGitRepository.newBuilder().setId(DEMO.value()))
                                .setPath("site")
                                .setConfigFilename("app.pipecd.yaml"))
                .setTrigger(
                        DeploymentTrigger.newBuilder().setCommit(Commit.newBuilder().setHash(head)))
                .build();
    }

    private static String base64(String text) {
        return Base64.getEncoder()
                .encodeToString(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
}
