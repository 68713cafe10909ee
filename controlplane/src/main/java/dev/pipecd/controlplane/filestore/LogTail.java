// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

/// The last part of a log that goes on; a full one is not kept in memory.
@SuppressWarnings("ArrayRecordComponent") // never compared
record LogTail(byte[] content, int size, String tag) {
    static final LogTail NONE = new LogTail(new byte[0], 0, "");

    static LogTail of(byte[] content, String tag) {
        return content.length < LogParts.FULL
                ? new LogTail(content, content.length, tag)
                : new LogTail(new byte[0], content.length, tag);
    }

    boolean isFull() {
        return size >= LogParts.FULL;
    }
}
