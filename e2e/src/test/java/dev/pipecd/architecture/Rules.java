// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.CompositeArchRule;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// The rules that compiled classes can be asked about, for a tree of packages below `root`. No rule
/// has a list of exceptions: where code may not follow one, the rule's words say which.
record Rules(String root) {
    private static final List<String> LOOPS =
            List.of("trigger", "plan", "run", "event", "drift", "preview", "suggest");
    private static final List<String> HANDS =
            List.of(
                    "source",
                    "index",
                    "plugin",
                    "report",
                    "notify",
                    "proxy",
                    "journal",
                    "admin",
                    "process",
                    "document",
                    "secret",
                    "template");
    private static final List<String> DOORS = List.of("agentapi", "webapi", "publicapi", "http");
    private static final List<String> FEATURES =
            List.of(
                    "application",
                    "deployment",
                    "chain",
                    "piped",
                    "release",
                    "project",
                    "access",
                    "command",
                    "preview",
                    "event",
                    "livestate",
                    "sso",
                    "audit",
                    "insight",
                    "ops",
                    "retention");
    private static final Set<String> CHANCE_AND_TIME =
            Set.of(
                    "java.lang.System.currentTimeMillis",
                    "java.lang.Thread.sleep",
                    "java.util.UUID.randomUUID",
                    "java.util.Random.<init>",
                    "java.lang.Math.random",
                    "java.time.InstantSource.system",
                    "java.time.Clock.systemUTC",
                    "java.time.Clock.systemDefaultZone");

    List<ArchRule> all() {
        return List.of(
                domainIsPure(),
                serviceMessagesStayAtTheEdges(),
                entityMessagesStayInside(),
                pluginsSeeOnlyTheSdk(),
                theSdkShowsNoGeneratedType(),
                packagesHaveNoCycles(),
                loopsDoNotCallOneAnother(),
                handsDoNotCallLoops(),
                doorsDoNotReachStores(),
                featuresSeeNeitherDoorsNorTables(),
                storesDoNotSeeDoors(),
                everyPackageIsNullMarked(),
                timeAndChanceComeIn(),
                namesSayWhatAThingDoes(),
                noFuturesAndNoThreadLocals());
    }

    ArchRule domainIsPure() {
        return classes()
                .that()
                .resideInAPackage(in("domain.."))
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "org.jspecify..", in("domain.."))
                .as("2: domain depends on the JDK and JSpecify only");
    }

    ArchRule serviceMessagesStayAtTheEdges() {
        return noClasses()
                .that()
                .resideOutsideOfPackages(
                        all(
                                in("wire.."),
                                in(DOORS, "controlplane."),
                                in("agent.report"),
                                in("agent.plugin.."),
                                in("cli.."),
                                in("plugin.host.."),
                                in("plugin.testkit"),
                                in("plugin.conformance"),
                                in("app.quickstart")))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        in("wire.api.."),
                        in("wire.web.."),
                        in("wire.piped.."),
                        in("wire.link.."),
                        in("wire.health.."),
                        in("wire.session.."),
                        in("wire.audit.."),
                        in("wire.delivery.."),
                        in("wire.plugin.."))
                .as(
                        "3a: service messages are seen only by the doors, agent.report, agent.plugin,"
                                + " the command line, the SDK's insides and the quickstart's client");
    }

    ArchRule entityMessagesStayInside() {
        return noClasses()
                .that()
                .resideOutsideOfPackages(
                        in("wire.."),
                        in("controlplane.."),
                        in("agent.."),
                        in("cli.."),
                        in("plugin.host.."),
                        in("plugin.testkit"),
                        in("plugin.conformance"),
                        in("app.quickstart"))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(in("wire.model.."))
                .as(
                        "3b: entity messages are unknown to domain, config, plugins and what the SDK shows them");
    }

    ArchRule pluginsSeeOnlyTheSdk() {
        return noClasses()
                .that()
                .resideInAPackage(in("plugins.."))
                .should()
                .dependOnClassesThat(
                        resideInAPackage(root + "..")
                                .and(
                                        resideOutsideOfPackages(
                                                in("plugin"),
                                                in("plugin.stage"),
                                                in("plugin.platform"),
                                                in("plugins.."))))
                .as("4a: of all that is ours, plugins see only the SDK");
    }

    ArchRule theSdkShowsNoGeneratedType() {
        return classes()
                .that()
                .resideInAnyPackage(
                        in("plugin"),
                        in("plugin.stage"),
                        in("plugin.platform"),
                        in("plugin.testkit"))
                .should(Conditions.showNothingOf(resideInAPackage(in("wire.."))))
                .as("4b: what a plugin author sees of the SDK holds no generated type");
    }

    ArchRule packagesHaveNoCycles() {
        return slices().matching(in("(**)"))
                .should()
                .beFreeOfCycles()
                .as("5a: packages have no cycles");
    }

    ArchRule loopsDoNotCallOneAnother() {
        return CompositeArchRule.of(
                        LOOPS.stream()
                                .<ArchRule>map(loop ->
                                        none(
                                                in("agent." + loop + ".."),
                                                LOOPS.stream()
                                                        .filter(l -> !l.equals(loop))
                                                        .map(l -> in("agent." + l + ".."))
                                                        .toArray(String[]::new)))
                                .toList())
                .as(
                        "5b: the agent's loops (trigger, plan, run, event, drift, preview, suggest)"
                                + " never call one another");
    }

    ArchRule handsDoNotCallLoops() {
        return CompositeArchRule.of(
                        HANDS.stream()
                                .<ArchRule>map(
                                        hand -> none(in("agent." + hand), in(LOOPS, "agent.")))
                                .toList())
                .as("5c: the agent's hands do not know its loops");
    }

    ArchRule doorsDoNotReachStores() {
        return CompositeArchRule.of(
                        DOORS.stream()
                                .<ArchRule>map(door ->
                                        none(
                                                in("controlplane." + door),
                                                all(
                                                        in("controlplane.store"),
                                                        in("controlplane.filestore"),
                                                        in("controlplane.cache"),
                                                        in(others(DOORS, door), "controlplane."))))
                                .toList())
                .as("5d: the control plane's doors reach stores through features only");
    }

    ArchRule featuresSeeNeitherDoorsNorTables() {
        return CompositeArchRule.of(
                        FEATURES.stream()
                                .<ArchRule>map(feature ->
                                        none(
                                                in("controlplane." + feature),
                                                all(
                                                        in("controlplane.store"),
                                                        in("controlplane.server"),
                                                        in(DOORS, "controlplane."))))
                                .toList())
                .as("5e: the control plane's features see neither doors nor tables");
    }

    ArchRule storesDoNotSeeDoors() {
        return CompositeArchRule.of(
                        Stream.of("store", "filestore", "cache")
                                .<ArchRule>map(store ->
                                        none(
                                                in("controlplane." + store),
                                                in(DOORS, "controlplane.")))
                                .toList())
                .as("5f: the control plane's stores do not see doors");
    }

    ArchRule everyPackageIsNullMarked() {
        return classes()
                .that(are(written()))
                .should(Conditions.resideInANullMarkedPackage())
                .as("6: every package we write is @NullMarked");
    }

    ArchRule timeAndChanceComeIn() {
        return noClasses()
                .that(are(written()))
                .and(DescribedPredicate.not(are(wiring())))
                .should()
                .accessTargetWhere(target(chanceOrTime()))
                .as(
                        "7: time, sleep and chance come in from the wiring: ControlPlane, Ops, Agent,"
                                + " PluginHost, Pipectl, QuickstartCommand");
    }

    ArchRule namesSayWhatAThingDoes() {
        return noClasses()
                .that(are(written()))
                .should()
                .haveNameMatching(
                        ".*[.$]([A-Za-z0-9]*(Utils?|Helper|Manager|Impl|Base)|(Abstract|Default)([A-Z][A-Za-z0-9]*)?)")
                .orShould()
                .resideInAnyPackage("..util..", "..common..", "..misc..")
                .as("8: names say what a thing does");
    }

    ArchRule noFuturesAndNoThreadLocals() {
        return noClasses()
                .that(are(written()))
                .should()
                .dependOnClassesThat()
                .haveNameMatching(
                        "java\\.util\\.concurrent\\.(CompletableFuture|CompletionStage)"
                                + "|java\\.lang\\.(Inheritable)?ThreadLocal")
                .as("10: blocking code on virtual threads: no futures, no thread locals");
    }

    /// What people wrote: of `wire`, only the request rules.
    private DescribedPredicate<JavaClass> written() {
        return resideOutsideOfPackage(in("wire.."))
                .or(resideInAPackage(in("wire.rules..")))
                .as("written by us");
    }

    private DescribedPredicate<HasName> wiring() {
        var names =
                Set.of(
                        in("controlplane.ControlPlane"),
                        in("controlplane.Ops"),
                        in("agent.Agent"),
                        in("plugin.host.PluginHost"),
                        in("cli.Pipectl"),
                        in("app.quickstart.QuickstartCommand"));
        return DescribedPredicate.describe("wiring", c -> names.contains(c.getName()));
    }

    private static DescribedPredicate<AccessTarget> chanceOrTime() {
        return DescribedPredicate.describe(
                "chance or time",
                target -> {
                    var owner = target.getOwner().getFullName();
                    var now = owner.startsWith("java.time.") && target.getName().equals("now");
                    return now || CHANCE_AND_TIME.contains(owner + "." + target.getName());
                });
    }

    private static ArchRule none(String from, String... to) {
        return noClasses()
                .that(resideInAPackage(from))
                .should()
                .dependOnClassesThat(resideInAnyPackage(to))
                .allowEmptyShould(true);
    }

    private String in(String below) {
        return root + "." + below;
    }

    private String[] in(List<String> below, String parent) {
        return below.stream().map(b -> in(parent + b)).toArray(String[]::new);
    }

    private static String[] all(Object... packages) {
        return Arrays.stream(packages)
                .flatMap(p -> p instanceof String[] many ? Arrays.stream(many) : Stream.of(p))
                .toArray(String[]::new);
    }

    private static List<String> others(List<String> all, String one) {
        return all.stream().filter(o -> !o.equals(one)).toList();
    }
}
