// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.platform;

import java.io.IOException;
import java.util.List;

/// Says, target by target, what a change that is not merged yet would do.
public interface PlanPreviewPlugin {
    List<TargetPreview> preview(Question application) throws IOException, InterruptedException;
}
