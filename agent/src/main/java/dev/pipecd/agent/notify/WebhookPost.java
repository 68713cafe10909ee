// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import dev.pipecd.config.Notifications.Webhook;
import dev.pipecd.domain.Problem;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// A webhook: the public body and its static signature, and beside them a signature over the body
/// that nobody can copy onto another one.
record WebhookPost(Webhook webhook, Sender sender) implements Post {
    static final String HMAC_HEADER = "PipeCD-Signature-256";
    static final String DELIVERY_HEADER = "PipeCD-Delivery";

    @Override
    public HttpRequest.Builder request(Notice notice) {
        var body =
                WebhookBody.of(notice.event(), sender).toString().getBytes(StandardCharsets.UTF_8);
        var request =
                Post.json(Post.address("webhook.url", webhook.url()), body)
                        .header(DELIVERY_HEADER, notice.id());
        if (webhook.signatureValue().isSet())
            Post.header(
                    request,
                    "webhook.signatureKey and signatureValue",
                    webhook.signatureKey().reveal(),
                    webhook.signatureValue().reveal());
        if (webhook.hmacKey().isSet())
            request.header(HMAC_HEADER, "sha256=" + hmac(webhook.hmacKey().reveal(), body));
        return request;
    }

    private static String hmac(String key, byte[] body) {
        if (key.isEmpty())
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "webhook.hmacKey: empty (expected: a key)",
                    "Write the key where `hmacKey` says that it is, or leave `hmacKey` out.");
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return HexFormat.of().formatHex(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HmacSHA256", e);
        }
    }
}
