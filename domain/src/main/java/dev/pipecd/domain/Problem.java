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
        CONFIG_INVALID(
                Blame.USER,
                Kind.INVALID,
                "A configuration file has mistakes; the text names each with its line and column."),
        CONFIG_TOO_LARGE(
                Blame.USER,
                Kind.INVALID,
                "A configuration file is larger, deeper or has more aliases than is read."),
        REQUEST_INVALID(
                Blame.USER,
                Kind.INVALID,
                "A request breaks a rule of the protocol or names something that cannot be."),
        STAGE_UNKNOWN(
                Blame.USER,
                Kind.INVALID,
                "A pipeline names a stage that no plugin of the agent offers."),
        STAGE_OPTIONS_INVALID(
                Blame.USER, Kind.INVALID, "The `with` of a stage does not fit the stage."),
        PLUGIN_UNKNOWN(
                Blame.USER,
                Kind.INVALID,
                "An application or an agent names a plugin that is not there, or two plugins offer one stage."),
        PATH_LEAVES_REPOSITORY(
                Blame.USER,
                Kind.INVALID,
                "A path, or a link in the repository, leads out of what was committed."),
        NOT_FOUND(Blame.USER, Kind.NOT_FOUND, "There is no such thing in this project."),
        ALREADY_EXISTS(Blame.USER, Kind.EXISTS, "There is one already."),
        UNAUTHENTICATED(
                Blame.USER,
                Kind.UNAUTHENTICATED,
                "The key, token or session is missing, wrong, expired or disabled."),
        PERMISSION_DENIED(Blame.USER, Kind.DENIED, "The caller is known and may not do this."),
        TRANSITION_REFUSED(
                Blame.USER,
                Kind.CONFLICT,
                "The state diagram has no arrow for it: the deployment or command is past that point."),
        PRECONDITION_FAILED(
                Blame.USER, Kind.CONFLICT, "Something else has to be done or to happen first."),
        TOO_MANY_ATTEMPTS(
                Blame.USER, Kind.EXHAUSTED, "Too many wrong keys or passwords in a short time."),
        REPOSITORY_UNREACHABLE(
                Blame.OPERATOR,
                Kind.UNAVAILABLE,
                "Git cannot fetch the repository, or the mirror on disk cannot be read."),
        REPOSITORY_BRANCH_MISSING(
                Blame.USER,
                Kind.NOT_FOUND,
                "The branch an agent watches is not in the repository."),
        REPOSITORY_EMPTY(Blame.USER, Kind.NOT_FOUND, "The repository has no commit yet."),
        PLUGIN_UNAVAILABLE(
                Blame.OPERATOR,
                Kind.UNAVAILABLE,
                "A plugin does not run, does not answer, or answers what cannot be."),
        CONTROL_PLANE_UNREACHABLE(
                Blame.OPERATOR,
                Kind.UNAVAILABLE,
                "No control plane answers at the address, or it is not trusted."),
        SETTING_INVALID(
                Blame.OPERATOR,
                Kind.INVALID,
                "A flag, a setting or a file named by one is not usable."),
        STORE_BUSY(Blame.OPERATOR, Kind.CONFLICT, "Another process owns the data."),
        STORE_UNAVAILABLE(
                Blame.OPERATOR, Kind.UNAVAILABLE, "The data cannot be read or written now."),
        INTERNAL(
                Blame.US,
                Kind.INTERNAL,
                "A fault of PipeCD itself; the log of the program has the whole of it.");

        private final Blame blame;
        private final Kind kind;
        private final String meaning;

        Code(Blame blame, Kind kind, String meaning) {
            this.blame = blame;
            this.kind = kind;
            this.meaning = meaning;
        }

        public Blame blame() {
            return blame;
        }

        public Kind kind() {
            return kind;
        }

        /// One sentence for the reference page.
        public String meaning() {
            return meaning;
        }
    }
}
