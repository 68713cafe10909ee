// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

import dev.pipecd.domain.ProjectId;
import java.util.Optional;

/// Tells how people of a project log in from elsewhere.
public interface Ways {
    Optional<Way> find(ProjectId project);
}
