// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

/// Tells whose a presented key is; a key that is not good any more is a problem.
public interface Keyring {
    Caller.Agent agent(Credentials.PipedToken token);

    Caller.KeyHolder keyHolder(Credentials.ApiKey key);
}
