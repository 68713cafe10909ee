// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

/// The other system did not answer as it should; the person is sent back with the text.
final class SignOnFailed extends Exception {
    private static final long serialVersionUID = 1;

    SignOnFailed(String text) {
        super(text);
    }

    SignOnFailed(String text, Throwable cause) {
        super(text, cause);
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
