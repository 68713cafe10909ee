// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/// Why a file cannot be read, in words instead of the name of a class.
public final class Unreadable {
    private Unreadable() {}

    public static String because(Exception e) {
        return switch (e) {
            case NoSuchFileException _ -> "there is no such file";
            case AccessDeniedException _ -> "this user may not read it";
            default -> String.valueOf(e.getMessage());
        };
    }
}
