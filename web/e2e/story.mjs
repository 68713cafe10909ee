// SPDX-License-Identifier: Apache-2.0
import { logIn } from "./browser.mjs";

/**
 * @typedef {object} Story
 * @property {string} url
 * @property {string} project
 * @property {string} user
 * @property {string} password
 * @property {string} application
 * @property {string | undefined} screenshot  where to put a picture of the finished deployment
 * @property {number} timeoutMs  how long each step may take
 * @property {() => Promise<void>} onReady  called when the page is open and waits; a commit made then must appear
 * @property {(step: string) => void} onStep  told before each step
 */

/**
 * The walk of a commit as a person in a browser sees it: nothing is reloaded from the login on.
 * @param {import("playwright-core").Browser} browser
 * @param {Story} story
 */
export async function walkStory(browser, story) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 1000 } });
  const page = await context.newPage();
  page.setDefaultTimeout(story.timeoutMs);
  try {
    story.onStep("log in");
    await logIn(page, story);

    story.onStep("open the list of deployments");
    await page.getByRole("link", { name: "Deployments", exact: true }).click();
    await page.getByRole("heading", { name: "Deployments", level: 1 }).waitFor();
    const rows = page.getByRole("link", { name: new RegExp(`^Deployment \\S+ of ${story.application}$`) });
    await page.locator("table, h2").first().waitFor();
    const known = new Set(await names(rows));
    let loads = 0;
    page.on("load", () => loads++);

    await story.onReady();
    story.onStep(`see a new deployment of ${story.application} appear`);
    const fresh = await eventually(story.timeoutMs, async () =>
      (await names(rows)).find((name) => !known.has(name)),
    );

    story.onStep("open it");
    await page.getByRole("link", { name: fresh }).click();
    await page.getByRole("group", { name: "Stages" }).waitFor();

    story.onStep("see log lines arrive");
    await page.getByText(/^[1-9][\d,]* lines?$/).waitFor();

    story.onStep("approve");
    await page.getByRole("button", { name: "Approve" }).click();

    story.onStep("see it succeed");
    await page.locator("h1 + * .status, h1 ~ * .status").filter({ hasText: "Success" }).first().waitFor();
    if (loads > 0) throw new Error(`pages loaded: ${loads} (expected: none after the login)`);

    if (story.screenshot) await page.screenshot({ path: story.screenshot, fullPage: true });
    return page.url();
  } finally {
    await context.close();
  }
}

/** @param {import("playwright-core").Locator} rows */
function names(rows) {
  return rows.evaluateAll((links) => links.map((link) => link.getAttribute("aria-label") ?? ""));
}

/**
 * @template T
 * @param {number} timeoutMs
 * @param {() => Promise<T | undefined>} look
 * @returns {Promise<T>}
 */
export async function eventually(timeoutMs, look) {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`nothing seen within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
