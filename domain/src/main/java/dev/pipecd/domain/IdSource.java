// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain;

/// Makes new ids. Wiring gives random UUIDs; tests give ids they can name.
@FunctionalInterface
public interface IdSource {
    String next();
}
