// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.agent.source.tree.Texts;
import java.time.Instant;

/// A commit as deployments name it; subject and author are never empty, and nothing of it is longer
/// than people read: a commit may hold megabytes, and each deployment it leads to a copy of them.
public record Commit(
        String hash,
        String subject,
        String body,
        String author,
        Instant authoredAt,
        String branch) {
    private static final int LONGEST_LINE = 1_000;
    private static final int LONGEST_BODY = 64 << 10;

    public Commit {
        subject = Texts.visible(cut(subject, LONGEST_LINE)).strip();
        body = Texts.visibleLines(cut(body, LONGEST_BODY)).strip();
        author = Texts.visible(cut(author, LONGEST_LINE)).strip();
        if (subject.isEmpty()) subject = "(no message)";
        if (author.isEmpty()) author = "(unknown)";
        // The wire refuses times before the epoch, and one odd commit must not block deployments.
        if (authoredAt.getEpochSecond() < 1) authoredAt = Instant.ofEpochSecond(1);
    }

    private static String cut(String text, int length) {
        if (text.length() <= length) return text;
        var end = Character.isHighSurrogate(text.charAt(length - 1)) ? length - 1 : length;
        return text.substring(0, end) + "…";
    }
}
