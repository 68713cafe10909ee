// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.event;

import java.util.Comparator;
import java.util.List;

/// A piece of a text and what comes in its place; everything around it stays as it is.
record Splice(int from, int to, String written) {

    /// Each character is moved once, however many pieces there are. They do not overlap.
    static String apply(String text, List<Splice> splices) {
        var out = new StringBuilder(text.length());
        var done = 0;
        var sorted = splices.stream().sorted(Comparator.comparingInt(Splice::from)).toList();
        for (var splice : sorted) {
            out.append(text, done, splice.from()).append(splice.written());
            done = splice.to();
        }
        return out.append(text, done, text.length()).toString();
    }
}
