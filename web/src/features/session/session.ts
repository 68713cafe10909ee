// SPDX-License-Identifier: Apache-2.0
const wantedKey = "pipecd.wanted";
const projectKey = "pipecd.project";

/** Where the person was going when the login page came between. */
export function rememberWanted(path: string) {
  if (path !== "/" && !path.startsWith("/login")) sessionStorage.setItem(wantedKey, path);
}

/** Gives the remembered page once, so that a later visit of `/` starts at the start. */
export function takeWanted(): string | undefined {
  const path = sessionStorage.getItem(wantedKey);
  sessionStorage.removeItem(wantedKey);
  return path?.startsWith("/") && !path.startsWith("//") ? path : undefined;
}

export function rememberProject(project: string) {
  localStorage.setItem(projectKey, project);
}

export function lastProject(): string {
  return localStorage.getItem(projectKey) ?? "";
}

/** The server tells a failed login through a cookie, because the form is a plain page load. */
export function errorOf(cookies: string): string | undefined {
  const found = cookies
    .split(";")
    .map((cookie) => cookie.trim())
    .find((cookie) => cookie.startsWith("error="));
  if (!found) return undefined;
  const raw = found.slice("error=".length).replace(/^"(.*)"$/, "$1");
  try {
    return decodeURIComponent(raw.replaceAll("+", " "));
  } catch {
    return raw;
  }
}

export function forgetError() {
  document.cookie = "error=; path=/; max-age=0; samesite=strict";
}
