// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import java.security.SecureRandom;

/// Text nobody can guess, of lower-case letters and digits as public keys are made of.
public final class RandomText {
    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
    private static final SecureRandom RANDOM = new SecureRandom();

    private RandomText() {}

    public static String of(int length) {
        var text = new StringBuilder(length);
        for (var i = 0; i < length; i++)
            text.append(ALPHABET.charAt(RANDOM.nextInt(ALPHABET.length())));
        return text.toString();
    }
}
