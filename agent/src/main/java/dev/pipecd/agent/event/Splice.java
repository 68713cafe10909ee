// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.event;

import java.util.Comparator;
import java.util.List;

/// A piece of a text and what comes in its place; everything around it stays as it is.
record Splice(int from, int to, String written) {

    static String apply(String text, List<Splice> splices) {
        var out = new StringBuilder(text);
        splices.stream()
                .sorted(Comparator.comparingInt(Splice::from).reversed())
                .forEach(splice -> out.replace(splice.from(), splice.to(), splice.written()));
        return out.toString();
    }
}
