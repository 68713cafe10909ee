// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source.tree;

import java.util.List;

/// What an application is given of a commit besides its folder and `.pipe`.
///
/// @param named by its file, from the repository's root: must be there, however large it is
/// @param watched what its trigger watches, in folders and files; left out if it is too large
/// @param references whether its files are searched for what they refer to
/// @param leniency what is left out instead of being told as a mistake
public record Extent(
        List<String> named, List<String> watched, boolean references, Leniency leniency) {
    public static final Extent USUAL = new Extent(List.of(), List.of(), true, Leniency.NONE);

    public Extent {
        named = List.copyOf(named);
        watched = List.copyOf(watched);
    }

    public Extent with(Leniency other) {
        return new Extent(named, watched, references, other);
    }

    boolean lenient() {
        return leniency != Leniency.NONE;
    }
}
