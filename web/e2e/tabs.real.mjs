// SPDX-License-Identifier: Apache-2.0
// Eight tabs of one browser behind a proxy that cuts their stream every ten seconds, with a running control
// plane. The caller makes the commit named in each line "commit: …"; its title is the same words. What the first
// one starts writes lines until "enough" is said.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { launchBrowser, logIn } from "./browser.mjs";
import { CuttingProxy } from "./cuttingProxy.mjs";
import { eventually } from "./story.mjs";

/** @typedef {import("playwright-core").Page} Page */

const patienceMs = 180_000;
const cutEveryMs = 10_000;
const account = { project: "quickstart", user: "hello-pipecd", password: "hello-pipecd" };
const controlPlane = process.env["PIPECD_URL"] ?? "";
const proxy = new CuttingProxy(controlPlane);
const browser = await launchBrowser();
let step = "start";
let loads = 0;
/** The tab that holds the stream. @type {Page | undefined} */
let holder;

try {
  await walk(await proxy.start());
  say("succeeded");
} catch (error) {
  console.error(`failed at step "${step}": ${error instanceof Error ? error.stack : String(error)}`);
  console.error(`cuts: ${proxy.cuts}, streams: ${proxy.streamsOpened}, at once: ${proxy.streamsAtOnce}`);
  process.exitCode = 1;
} finally {
  await browser.close();
  proxy.stop();
}

/** @param {string} url */
async function walk(url) {
  begin("open eight tabs, and one of somebody else without the proxy");
  const witness = await (await newContext()).newPage();
  await logIn(witness, { ...account, url: controlPlane });
  await witness.goto(`${controlPlane}/deployments`);
  const tabs = await openTabs(url);
  await until(() => proxy.streams.size === 1);
  proxy.cutEvery(cutEveryMs);

  begin("see a commit in every tab");
  say("commit: Count aloud");
  for (const page of tabs) await shown(page, "Count aloud");
  const [one, two] = /** @type {[Page, Page]} */ (tabs.slice(6));
  for (const page of [one, two])
    await page.getByRole("row", { name: "Count aloud" }).getByRole("link").click();
  await linesArrive([one, two]);

  begin("see log lines arrive after a cut");
  await nextCut();
  await linesArrive([one, two]);
  assert.equal(proxy.streamsAtOnce, 1, "streams at once");

  begin("close the tab that holds the stream, and see a commit and log lines in the others");
  const closed = holder;
  assert.ok(closed, "a tab holds the stream");
  await closed.close();
  say("commit: Touch both");
  const left = tabs.filter((page) => page !== closed);
  const lists = left.filter((page) => page !== one && page !== two);
  for (const page of lists) await shown(page, "Touch both");
  await linesArrive([one, two]);
  await until(() => proxy.streams.size === 1);
  assert.notEqual(holder, closed);
  proxy.streamsAtOnce = 1; // the end of one and the beginning of the next may come in either order

  begin("see log lines arrive after another cut");
  await nextCut();
  await linesArrive([one, two]);

  begin("read nothing while nothing changes, with a cut between");
  say("enough");
  for (const page of [one, two]) await page.getByRole("button", { name: "Approve" }).waitFor();
  await pause(2_000);
  const before = proxy.passed.length;
  await nextCut();
  // Log lines carry no number among the changes: whoever shows a log asks once whether there are more.
  await until(() => proxy.passed.length >= before + 2);
  await pause(3_000);
  assert.deepEqual(proxy.passed.slice(before).map(rpc), ["GetStageLog", "GetStageLog"]);

  begin("see what happened while the stream was cut");
  proxy.closed = true;
  proxy.cut();
  const sinceCut = proxy.passed.length;
  await one.getByRole("button", { name: "Approve" }).click();
  say("commit: Touch the broken one");
  await shown(witness, "Touch the broken one");
  await success(witness.getByRole("row", { name: "Count aloud" }));
  for (const page of lists) assert.equal(await page.getByText("Touch the broken one").count(), 0);
  assert.deepEqual(proxy.passed.slice(sinceCut).map(rpc), ["ApproveStage", "GetCommand"]);
  proxy.closed = false;
  for (const page of [one, two]) await success(page.locator("main"));
  for (const page of lists) {
    const isOfSite = (await page.locator("h1").textContent()) === "site";
    if (isOfSite) await success(page.getByRole("row", { name: "Count aloud" }));
    else await shown(page, "Touch the broken one");
  }
  await until(() => proxy.streams.size === 1);

  begin("find each log line once in either tab, as somebody who reads it all at once does");
  await witness.getByRole("row", { name: "Count aloud" }).getByRole("link").click();
  const pages = [witness, one, two];
  const [approval, ...approvals] = await logs(pages, "WAIT_APPROVAL", "Approved by hello-pipecd");
  assert.deepEqual(approvals, [approval, approval]);
  for (const page of pages) await page.getByRole("button", { name: /^SCRIPT_RUN/ }).click();
  const [counted = [], ...counts] = await logs(pages, "SCRIPT_RUN", "That is enough");
  const numbers = counted.flatMap((line) => /\bline (\d+)$/.exec(line)?.[1] ?? []);
  assert.deepEqual(
    numbers.map(Number),
    numbers.map((_, index) => index + 1),
  );
  assert.ok(numbers.length > 50, `lines: ${numbers.length}`);
  assert.deepEqual(counts, [counted, counted]);

  assert.equal(proxy.streamsAtOnce, 1, "streams at once");
  assert.ok(proxy.cuts >= 4, `cuts: ${proxy.cuts}`);
  assert.equal(loads, 0, "pages loaded again");
}

async function newContext() {
  const context = await browser.newContext({
    viewport: { width: 1360, height: 900 },
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(patienceMs);
  return context;
}

/** Two of each kind; the last two go from the list to a deployment later. @param {string} url */
async function openTabs(url) {
  const context = await newContext();
  context.on("request", (request) => {
    if (new URL(request.url()).pathname === "/changes") holder = request.frame().page();
  });
  const first = await context.newPage();
  await logIn(first, { ...account, url });
  const site = await first.getByRole("link", { name: "site", exact: true }).getAttribute("href");
  const paths = ["/applications", site, site, "/deployments", "/deployments", "/deployments", "/deployments"];
  const others = await Promise.all(
    paths.map(async (path) => {
      const page = await context.newPage();
      await page.goto(url + path);
      await page.getByRole("table").first().waitFor();
      return page;
    }),
  );
  for (const page of [first, ...others]) page.on("load", () => loads++);
  return [first, ...others];
}

/** @param {Page} page @param {string} words */
function shown(page, words) {
  return page.getByText(words, { exact: true }).first().waitFor();
}

/** @param {import("playwright-core").Locator} place */
function success(place) {
  return place.locator(".status").filter({ hasText: "Success" }).first().waitFor();
}

/** A few more lines than there are now. @param {Page[]} pages */
async function linesArrive(pages) {
  for (const page of pages) {
    const count = async () => Number.parseInt((await page.getByText(/^\d+ lines?$/).textContent()) ?? "");
    const now = await count();
    await eventually(patienceMs, async () => ((await count()) >= now + 4 ? true : undefined));
  }
}

/**
 * The open log of each, as it is downloaded once a line has come.
 * @param {Page[]} pages
 * @param {string} stage
 * @param {string} line
 */
async function logs(pages, stage, line) {
  /** @type {string[][]} */
  const found = [];
  for (const page of pages) {
    await page
      .getByRole("region", { name: `Log of stage ${stage}` })
      .getByText(line, { exact: true })
      .waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    const text = await readFile(await (await download).path(), "utf8");
    found.push(text.trimEnd().split("\n"));
  }
  return found;
}

function nextCut() {
  const made = proxy.cuts;
  return until(() => proxy.cuts > made);
}

/** @param {() => boolean} condition */
function until(condition) {
  return eventually(patienceMs, async () => condition() || undefined);
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** @param {string} path */
function rpc(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** @param {string} next */
function begin(next) {
  step = next;
  say(`step: ${next}`);
}

/** @param {string} line */
function say(line) {
  console.log(line);
}
