// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// A body that is signed with a key, as it is read.
final class SignedBody extends FilterInputStream {
    private final Mac mac;

    SignedBody(InputStream body, String key) {
        super(body);
        try {
            mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key.getBytes(UTF_8), "HmacSHA256"));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public int read() throws IOException {
        var one = super.read();
        if (one >= 0) mac.update((byte) one);
        return one;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        var count = super.read(into, offset, length);
        if (count > 0) mac.update(into, offset, count);
        return count;
    }

    @Override
    public long skip(long count) throws IOException {
        return readNBytes((int) Math.min(count, 8 * 1024)).length;
    }

    /// Reads what is left, and answers the signature of it all in hexadecimal.
    String signature() throws IOException {
        transferTo(OutputStream.nullOutputStream());
        return HexFormat.of().formatHex(mac.doFinal());
    }
}
