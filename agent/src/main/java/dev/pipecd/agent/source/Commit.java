// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.agent.source.tree.Texts;
import java.time.Instant;

/// A commit as deployments name it; subject and author are never empty.
public record Commit(
        String hash,
        String subject,
        String body,
        String author,
        Instant authoredAt,
        String branch) {
    public Commit {
        subject = Texts.visible(subject).strip();
        body = Texts.visibleLines(body).strip();
        author = Texts.visible(author).strip();
        if (subject.isEmpty()) subject = "(no message)";
        if (author.isEmpty()) author = "(unknown)";
        // The wire refuses times before the epoch, and one odd commit must not block deployments.
        if (authoredAt.getEpochSecond() < 1) authoredAt = Instant.ofEpochSecond(1);
    }
}
