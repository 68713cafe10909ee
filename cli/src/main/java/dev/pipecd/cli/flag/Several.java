// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.flag;

import java.util.Collection;
import java.util.List;

/// Of a flag that takes several values those that are there: a script gives `--status ""` where it
/// means none, and the public command line takes it.
public final class Several {
    private Several() {}

    public static List<String> of(Collection<String> given) {
        return given.stream().filter(each -> !each.isBlank()).toList();
    }
}
