// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain;

/// What went wrong, whose move it is, and what to do. The message has the form `name: value
/// (expected: …)`.
public final class Problem extends RuntimeException {
    private final Code code;
    private final String advice;

    public Problem(Code code, String message, String advice) {
        super(message);
        this.code = code;
        this.advice = advice;
    }

    public Problem(Code code, String message, String advice, Throwable cause) {
        super(message, cause);
        this.code = code;
        this.advice = advice;
    }

    public Code code() {
        return code;
    }

    public String advice() {
        return advice;
    }

    /// Message and advice in one line, as logs and command lines show them.
    public String told() {
        return advice.isEmpty() ? message() : message() + ". " + advice;
    }

    public String message() {
        return String.valueOf(getMessage());
    }

    /// Who can mend it: alarms ring for `US` only.
    public enum Blame {
        USER,
        OPERATOR,
        TARGET,
        US
    }

    /// How a caller should take it; doors turn it into a gRPC or HTTP status.
    public enum Kind {
        INVALID,
        NOT_FOUND,
        EXISTS,
        UNAUTHENTICATED,
        DENIED,
        CONFLICT,
        EXHAUSTED,
        UNAVAILABLE,
        INTERNAL
    }

    /// One code per cause, so that documentation and alarms can name it.
    public enum Code {
        CONFIG_INVALID(Blame.USER, Kind.INVALID),
        CONFIG_TOO_LARGE(Blame.USER, Kind.INVALID),
        REQUEST_INVALID(Blame.USER, Kind.INVALID),
        STAGE_UNKNOWN(Blame.USER, Kind.INVALID),
        STAGE_OPTIONS_INVALID(Blame.USER, Kind.INVALID),
        PLUGIN_UNKNOWN(Blame.USER, Kind.INVALID),
        PATH_LEAVES_REPOSITORY(Blame.USER, Kind.INVALID),
        NOT_FOUND(Blame.USER, Kind.NOT_FOUND),
        ALREADY_EXISTS(Blame.USER, Kind.EXISTS),
        UNAUTHENTICATED(Blame.USER, Kind.UNAUTHENTICATED),
        PERMISSION_DENIED(Blame.USER, Kind.DENIED),
        TRANSITION_REFUSED(Blame.USER, Kind.CONFLICT),
        PRECONDITION_FAILED(Blame.USER, Kind.CONFLICT),
        TOO_MANY_ATTEMPTS(Blame.USER, Kind.EXHAUSTED),
        REPOSITORY_UNREACHABLE(Blame.OPERATOR, Kind.UNAVAILABLE),
        REPOSITORY_BRANCH_MISSING(Blame.USER, Kind.NOT_FOUND),
        REPOSITORY_EMPTY(Blame.USER, Kind.NOT_FOUND),
        PLUGIN_UNAVAILABLE(Blame.OPERATOR, Kind.UNAVAILABLE),
        CONTROL_PLANE_UNREACHABLE(Blame.OPERATOR, Kind.UNAVAILABLE),
        SETTING_INVALID(Blame.OPERATOR, Kind.INVALID),
        STORE_BUSY(Blame.OPERATOR, Kind.CONFLICT),
        STORE_UNAVAILABLE(Blame.OPERATOR, Kind.UNAVAILABLE),
        OUTCOME_UNKNOWN(Blame.TARGET, Kind.INTERNAL),
        INTERNAL(Blame.US, Kind.INTERNAL);

        private final Blame blame;
        private final Kind kind;

        Code(Blame blame, Kind kind) {
            this.blame = blame;
            this.kind = kind;
        }

        public Blame blame() {
            return blame;
        }

        public Kind kind() {
            return kind;
        }
    }
}
