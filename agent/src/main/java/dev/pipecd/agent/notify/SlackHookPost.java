// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import dev.pipecd.config.Notifications.SlackHook;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;

/// A Slack channel by its incoming webhook.
record SlackHookPost(SlackHook hook, Sender sender) implements Post {
    @Override
    public HttpRequest.Builder request(Notice notice) {
        return Post.json(
                Post.address("slack.hookURL", hook.url()),
                SlackMessage.of(notice, sender, hook.mentioned())
                        .toString()
                        .getBytes(StandardCharsets.UTF_8));
    }
}
