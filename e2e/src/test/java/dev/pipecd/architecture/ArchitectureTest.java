// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Asks all production classes whether they keep `Rules`, and each rule whether it sees its fault.
final class ArchitectureTest {
    private static final String FAULTS = "dev.pipecd.architecture.faults";

    /// Generated code keeps no rule but that of cycles, which `wire` asks of its files: two thirds
    /// of all classes need not be read.
    private static final Pattern GENERATED = Pattern.compile(".*/dev/pipecd/wire/(?!rules/).*");

    private static final JavaClasses OURS =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .withImportOption(place -> !place.contains("-tests.jar"))
                    .withImportOption(place -> !place.matches(GENERATED))
                    .importPackages("dev.pipecd");

    private static final JavaClasses FAULTY = new ClassFileImporter().importPackages(FAULTS);

    /// Which class was made to break which rule.
    private static final Map<String, String> PLANTED =
            Map.ofEntries(
                    Map.entry("2", "domain.LoggingDomain"),
                    Map.entry("3a", "controlplane.deployment.MessageFeature"),
                    Map.entry("3b", "config.MessageConfig"),
                    Map.entry("4a", "plugins.NosyPlugin"),
                    Map.entry("4b", "plugin.stage.ShowsMessage"),
                    Map.entry("5a", "cycle.one.One"),
                    Map.entry("5b", "agent.trigger.CallsRun"),
                    Map.entry("5c", "agent.source.CallsTrigger"),
                    Map.entry("5d", "controlplane.webapi.ReachingDoor"),
                    Map.entry("5e", "controlplane.command.TableFeature"),
                    Map.entry("5f", "controlplane.filestore.DoorFiles"),
                    Map.entry("6", "unmarked.Unmarked"),
                    Map.entry("7", "agent.run.OwnClock"),
                    Map.entry("8", "naming.ThingHelper"),
                    Map.entry("10", "naming.LaterAnswer"));

    @Test
    void productionClassesOfEveryModuleAreLookedAt() {
        var seen = OURS.stream().map(c -> c.getPackageName()).collect(Collectors.toSet());

        assertThat(seen)
                .contains(
                        "dev.pipecd.domain",
                        "dev.pipecd.config",
                        "dev.pipecd.wire.rules",
                        "dev.pipecd.controlplane",
                        "dev.pipecd.agent",
                        "dev.pipecd.plugin",
                        "dev.pipecd.plugins",
                        "dev.pipecd.cli",
                        "dev.pipecd.app")
                .noneMatch(name -> name.startsWith("dev.pipecd.architecture"));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void productionCodeKeepsTheRule(ArchRule rule) {
        assertThat(breaches(rule, OURS)).as(rule.getDescription()).isEmpty();
    }

    @Test
    void everyRuleFailsOnItsPlantedFault() {
        for (var rule : new Rules(FAULTS).all()) {
            var fault = FAULTS + "." + PLANTED.get(number(rule));
            assertThat(breaches(rule, FAULTY))
                    .as(rule.getDescription())
                    .anyMatch(breach -> breach.contains(fault));
        }
    }

    @Test
    void aMethodReferenceIsSeenAsWellAsACall() {
        assertThat(breaches(new Rules(FAULTS).timeAndChanceComeIn(), FAULTY))
                .anyMatch(breach -> breach.contains("OwnClock.naps()"))
                .anyMatch(breach -> breach.contains("OwnClock.now()"))
                .anyMatch(breach -> breach.contains("OwnClock.chance()"));
    }

    static Stream<Named<ArchRule>> rules() {
        return new Rules("dev.pipecd").all().stream().map(r -> Named.of(r.getDescription(), r));
    }

    private static List<String> breaches(ArchRule rule, JavaClasses classes) {
        return rule.evaluate(classes).getFailureReport().getDetails();
    }

    private static String number(ArchRule rule) {
        return Arrays.asList(rule.getDescription().split(":")).getFirst();
    }
}
