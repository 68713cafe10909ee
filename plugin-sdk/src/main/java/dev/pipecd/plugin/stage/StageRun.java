// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.stage;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// All that a stage may ask and tell while it runs: the host's side of the contract, or the test
/// kit's.
public interface StageRun<O> extends Surroundings {
    O options();

    StageFacts stage();

    default DeploymentFacts deployment() {
        return stage().deployment();
    }

    /// The recorded start of the stage, the same after every restart.
    Instant startedAt();

    Instant now();

    /// Whether the stage was called before and has to carry on.
    boolean resumed();

    /// Whether the stage runs without a pipeline: nobody could write options for it.
    boolean quickSync();

    /// The application at the commit being deployed.
    Source source();

    /// The application at the commit that runs now; none on a first deployment.
    Optional<Source> runningSource();

    default Path applicationDirectory() {
        return source().directory();
    }

    default Optional<Path> runningApplicationDirectory() {
        return runningSource().map(Source::directory);
    }

    List<DeployTarget> deployTargets();

    /// Waits while the agent cannot keep up; stopped meanwhile it throws, with the interrupt as its
    /// cause. After an ordered stop it waits no more: what finds no room is left out, as one line
    /// says.
    void log(Severity severity, String line);

    default void log(String line) {
        log(Severity.INFO, line);
    }

    default void log(String target, String line) {
        log(Severity.INFO, target, line);
    }

    default void log(Severity severity, String target, String line) {
        log(severity, "[" + target + "] " + line);
    }

    default void success(String line) {
        log(Severity.SUCCESS, line);
    }

    default void error(String line) {
        log(Severity.ERROR, line);
    }

    /// How many lines the stage has told; the next one gets this number.
    long lines();

    /// Carries on with this line number, so that lines told again get the numbers they had and are
    /// not shown twice.
    void continueAtLine(long number);

    /// Waits until every line so far has been taken over by the agent.
    void awaitLinesTaken() throws InterruptedException;

    Optional<String> metadata(String key) throws InterruptedException;

    void putMetadata(Map<String, String> entries) throws InterruptedException;

    /// What stages of this plugin wrote down for the whole deployment.
    Optional<String> pluginMetadata(String key) throws InterruptedException;

    void putPluginMetadata(String key, String value) throws InterruptedException;

    /// What was last saved by [#checkpoint(String)].
    Optional<String> checkpoint();

    /// Saves where the stage stands. Called again, it starts with this state and line number; it
    /// then tells again the lines that came after.
    void checkpoint(String state) throws InterruptedException;

    /// A directory of this stage alone that survives host and agent, though not the machine.
    Path stateDirectory();

    void sleepUntil(Instant end) throws InterruptedException;

    /// Waits for the next order a person gives to this stage; each is returned once per call of the
    /// stage.
    StageCommand awaitCommand() throws InterruptedException;

    /// Asked after an interrupt. True: end what was started. False: the host leaves, and the next
    /// one carries on.
    boolean stopOrdered();
}
