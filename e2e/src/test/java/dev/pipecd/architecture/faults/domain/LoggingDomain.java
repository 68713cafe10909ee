// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture.faults.domain;

import java.util.Optional;
import org.slf4j.Logger;

/// Rule 2: the domain knows a library.
public record LoggingDomain(Optional<Logger> log) {}
