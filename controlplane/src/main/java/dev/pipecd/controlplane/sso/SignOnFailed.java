// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

/// The other system did not answer as it should; the person is sent back with the text.
final class SignOnFailed extends Exception {
    private static final long serialVersionUID = 1;
    private static final String UNANSWERED =
            "The other system did not answer as it should. Why is in the log of the control plane.";

    private final String text;

    SignOnFailed(String text) {
        super(text);
        this.text = text;
    }

    SignOnFailed(String text, Throwable cause) {
        super(text, cause);
        this.text = text;
    }

    private SignOnFailed(String text, String why) {
        super(why);
        this.text = text;
    }

    /// What a host answered, or that it did not, is for the log only: in the browser it would tell
    /// anybody what is where in our network.
    static SignOnFailed unanswered(String why) {
        return new SignOnFailed(UNANSWERED, why);
    }

    static SignOnFailed unanswered(String why, Throwable cause) {
        var failed = unanswered(why);
        failed.initCause(cause);
        return failed;
    }

    String text() {
        return text;
    }
}
