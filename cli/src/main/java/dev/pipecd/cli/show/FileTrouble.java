// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.show;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/// Why a file cannot be read or written, in words instead of the name of a class.
public final class FileTrouble {
    private FileTrouble() {}

    /// The last sentence of a message.
    public static String advice(IOException trouble) {
        return "Check the path and its permissions: " + told(trouble) + ".";
    }

    private static String told(IOException trouble) {
        return switch (trouble) {
            case NoSuchFileException _ -> "there is no such file or folder";
            case AccessDeniedException _ -> "this user may not do it";
            case CharacterCodingException _ -> "it is no text in UTF-8";
            case FileSystemException e when e.getReason() != null -> e.getReason();
            default -> String.valueOf(trouble.getMessage());
        };
    }
}
