// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import com.linecorp.armeria.common.HttpMethod;
import java.util.Set;

/// Every path that is asked for by itself; all others are files of the web application.
public enum HttpPath {
    STATIC_LOGIN("/auth/login/static", LoginPages.LARGEST_FORM),
    LOGIN("/auth/login", LoginPages.LARGEST_FORM),
    CALLBACK("/auth/callback", HttpDoor.NO_BODY),
    LOGOUT("/auth/logout", HttpDoor.NO_BODY),
    AUDIT("/audit.jsonl", HttpDoor.NO_BODY, HttpMethod.GET),
    CHANGES("/changes", HttpDoor.NO_BODY, HttpMethod.GET),
    GITHUB("/webhook/github", Webhook.LARGEST_BODY, HttpMethod.POST),
    GITEA("/webhook/gitea", Webhook.LARGEST_BODY, HttpMethod.POST),
    GITLAB("/webhook/gitlab", Webhook.LARGEST_BODY, HttpMethod.POST);

    private final String text;
    private final int largestBody;
    private final Set<HttpMethod> methods;

    HttpPath(String text, int largestBody, HttpMethod... methods) {
        this.text = text;
        this.largestBody = largestBody;
        this.methods = Set.of(methods);
    }

    public String text() {
        return text;
    }

    int largestBody() {
        return largestBody;
    }

    /// Any when empty.
    public Set<HttpMethod> methods() {
        return methods;
    }
}
