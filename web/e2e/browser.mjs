// SPDX-License-Identifier: Apache-2.0
import { chromium } from "playwright-core";

/** A real Chromium without a screen. */
export function launchBrowser() {
  return chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    headless: true,
    timeout: 120_000,
    args: [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/**
 * Logs in as a person does.
 * @param {import("playwright-core").Page} page
 * @param {{ url: string, project: string, user: string, password: string }} account
 */
export async function logIn(page, { url, project, user, password }) {
  await page.goto(`${url}/login?project=${encodeURIComponent(project)}`);
  await page.locator('input[name="username"]').fill(user);
  await page.locator('input[name="password"]').fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("heading", { name: "Applications", level: 1 }).waitFor();
}
