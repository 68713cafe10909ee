// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.wire.rules;

/// One rule that a message breaks: where (`git_path.repo.id`, `labels["a"]`), which rule
/// (`string.min_len`), and in words.
public record Violation(String field, String rule, String message) {}
