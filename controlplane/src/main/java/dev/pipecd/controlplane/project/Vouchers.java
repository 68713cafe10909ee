// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.project;

import dev.pipecd.wire.model.Project;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.Set;

/// On whose word people of a project come in from elsewhere. Each session is of one such text, and
/// ends when it is none of the project's any more: the project goes by another's word, or takes no
/// strangers.
public final class Vouchers {
    private Vouchers() {}

    /// For who has a role there; empty when nobody vouches.
    public static String ofMembers(Project project) {
        if (!project.getSharedSsoName().isEmpty()) return "shared " + project.getSharedSsoName();
        return project.hasSso() ? "own " + own(project) : "";
    }

    /// For who has none and may look all the same.
    public static String ofStrangers(Project project) {
        return "strangers of " + ofMembers(project);
    }

    /// Without what says only how the other is asked, and for how long it is believed.
    private static String own(Project project) {
        var sso = project.getSso().toBuilder().clearSessionTtl();
        if (sso.hasGithub()) sso.getGithubBuilder().clearClientSecret().clearProxyUrl();
        if (sso.hasOidc()) sso.getOidcBuilder().clearClientSecret().clearProxyUrl();
        return HexFormat.of().formatHex(sso.build().toByteArray());
    }

    static Set<String> of(Project project) {
        var all = new LinkedHashSet<String>();
        if (ofMembers(project).isEmpty()) return all;
        all.add(ofMembers(project));
        if (project.getAllowStrayAsViewer()) all.add(ofStrangers(project));
        return all;
    }

    /// Whether people who came in before would not on the same word.
    static boolean lost(Project before, Project after) {
        return !of(after).containsAll(of(before));
    }
}
