// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.config.keys.writer.openssh.OpenSSHKeyPairResourceWriter;
import org.apache.sshd.common.digest.BuiltinDigests;
import org.apache.sshd.server.Environment;
import org.apache.sshd.server.ExitCallback;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.channel.ChannelSession;
import org.apache.sshd.server.command.Command;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.eclipse.jgit.transport.UploadPack;

/// A real SSH server on this machine that serves repositories to whoever has the one key it knows.
final class GitSshServer implements AutoCloseable {
    private final SshServer server = SshServer.setUpDefaultServer();
    private final KeyPair hostKey;
    private final List<String> offered = new CopyOnWriteArrayList<>();
    private volatile Optional<String> instead = Optional.empty();

    private GitSshServer(KeyPair hostKey, PublicKey known) {
        JGitSettings.install();
        this.hostKey = hostKey;
        server.setHost("127.0.0.1");
        server.setKeyPairProvider(_ -> List.of(hostKey));
        server.setPublickeyAuthenticator((user, key, _) -> {
            offered.add(user);
            return user.equals("git") && KeyUtils.compareKeys(key, known);
        });
        server.setCommandFactory((_, command) -> new Upload(command));
    }

    /// At any free port when it is 0.
    static GitSshServer start(int port, KeyPair hostKey, PublicKey known) throws IOException {
        var started = new GitSshServer(hostKey, known);
        started.server.setPort(port);
        started.server.start();
        return started;
    }

    static KeyPair newKey() throws GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    static String privateKey(KeyPair key) throws IOException, GeneralSecurityException {
        var written = new ByteArrayOutputStream();
        OpenSSHKeyPairResourceWriter.INSTANCE.writePrivateKey(key, "agent", null, written);
        return written.toString(StandardCharsets.US_ASCII);
    }

    String address(Path repository) {
        return "ssh://git@127.0.0.1:%d%s".formatted(port(), repository);
    }

    int port() {
        return server.getPort();
    }

    String knownHost() {
        return "[127.0.0.1]:%d %s\n"
                .formatted(port(), PublicKeyEntry.toString(hostKey.getPublic()));
    }

    String fingerprint() {
        return KeyUtils.getFingerPrint(BuiltinDigests.sha256, hostKey.getPublic());
    }

    /// Users that offered a key.
    List<String> offered() {
        return offered;
    }

    void sayInstead(String garbage) {
        instead = Optional.of(garbage);
    }

    @Override
    public void close() throws IOException {
        server.stop(true);
    }

    /// `git-upload-pack '/srv/site'`
    private final class Upload implements Command {
        private final String command;
        private InputStream in = InputStream.nullInputStream();
        private OutputStream out = OutputStream.nullOutputStream();
        private ExitCallback ended = (_, _, _) -> {};

        Upload(String command) {
            this.command = command;
        }

        @Override
        public void setInputStream(InputStream stream) {
            in = stream;
        }

        @Override
        public void setOutputStream(OutputStream stream) {
            out = stream;
        }

        @Override
        public void setErrorStream(OutputStream stream) {}

        @Override
        public void setExitCallback(ExitCallback callback) {
            ended = callback;
        }

        @Override
        public void start(ChannelSession channel, Environment environment) {
            Thread.startVirtualThread(this::serve);
        }

        private void serve() {
            try {
                if (instead.isPresent()) out.write(instead.get().getBytes(StandardCharsets.UTF_8));
                else upload(Path.of(command.split("'")[1], ".git"));
                out.flush();
                ended.onExit(0);
            } catch (IOException e) {
                ended.onExit(128, String.valueOf(e.getMessage()));
            }
        }

        private void upload(Path gitDir) throws IOException {
            try (var repository = new FileRepositoryBuilder().setGitDir(gitDir.toFile()).build()) {
                new UploadPack(repository).upload(in, out, null);
            }
        }

        @Override
        public void destroy(ChannelSession channel) {}
    }
}
