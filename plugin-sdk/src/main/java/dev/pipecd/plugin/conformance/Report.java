// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.conformance;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What a plugin keeps and what it breaks.
public record Report(String plugin, Map<Rule, Verdict> verdicts) {
    public Report {
        verdicts = Collections.unmodifiableMap(new TreeMap<>(verdicts));
    }

    public List<Rule> broken() {
        return verdicts.entrySet().stream()
                .filter(entry -> entry.getValue() instanceof Verdict.Broken)
                .map(Map.Entry::getKey)
                .toList();
    }

    private long count(Class<? extends Verdict> kind) {
        return verdicts.values().stream().filter(kind::isInstance).count();
    }

    public String text() {
        var text = new StringBuilder();
        verdicts.forEach((rule, verdict) -> line(text, rule, verdict));
        return text.append(
                        "%n%s: %d kept, %d broken, %d not checked%n"
                                .formatted(
                                        plugin,
                                        count(Verdict.Kept.class),
                                        count(Verdict.Broken.class),
                                        count(Verdict.NotChecked.class)))
                .toString();
    }

    private static void line(StringBuilder text, Rule rule, Verdict verdict) {
        var form = "%-12s %-15s %s%n";
        switch (verdict) {
            case Verdict.Kept() -> text.append(form.formatted("kept", rule.told(), rule.promise()));
            case Verdict.Broken(var how) -> {
                text.append(form.formatted("BROKEN", rule.told(), rule.promise()));
                text.append(form.formatted("", "", how));
            }
            case Verdict.NotChecked(var why) -> {
                text.append(form.formatted("not checked", rule.told(), rule.promise()));
                text.append(form.formatted("", "", why));
            }
        }
    }
}
