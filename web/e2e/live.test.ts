// SPDX-License-Identifier: Apache-2.0
import type { Page } from "playwright-core";
import { expect, test, vi } from "vitest";
import { StageStatus } from "../src/api/gen/model/deployment_pb";
import { account, pipeline, Site } from "./site";

const site = Site.forTests();

function oneStream() {
  return vi.waitFor(() => expect(site.server.streams.size).toBe(1), 90_000);
}

async function tabs(count: number, path: string): Promise<Page[]> {
  const first = await site.loggedIn(path);
  const pages = [first];
  while (pages.length < count) pages.push(await first.context().newPage());
  for (const page of pages.slice(1)) await page.goto(site.url + path);
  for (const page of pages) await page.locator("h1").waitFor();
  return pages;
}

test("nothing is missed and nothing flickers while a proxy cuts the stream again and again", async () => {
  const { plane, server } = site;
  const deployment = plane.commit(plane.addApplication("site"), "Say hello", pipeline);
  plane.stage(deployment, 0, StageStatus.STAGE_RUNNING);
  const page = await site.withSession();
  // A busy machine may take seconds to connect again; that a long cut is told is a test of its own.
  await page.addInitScript(() => Object.assign(window, { livePatienceMs: 60_000 }));
  await page.goto(`${site.url}/deployments/${deployment}`);
  const log = page.getByRole("region", { name: "Log of stage SCRIPT_RUN" });
  await page.getByText("Nothing written yet").waitFor();
  await oneStream();
  // Would any notice of the cuts, skeleton or error be seen, even for a moment?
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    new MutationObserver(() => {
      const text = document.querySelector(
        "[role=alert], [aria-label^=Loading], header .tone-warn",
      )?.textContent;
      if (text !== undefined && text !== null) seen.push(text);
    }).observe(document.body, { childList: true, subtree: true });
  });

  for (let cut = 1; cut <= 12; cut++) {
    plane.write(deployment, 0, [`before cut ${cut}`]);
    const opened = server.streamsOpened;
    server.cut();
    plane.write(deployment, 0, [`during cut ${cut}`]); // nobody listens at this moment
    await log.getByText(`during cut ${cut}`, { exact: true }).waitFor();
    // The next cut must meet a stream.
    await vi.waitFor(() => expect(server.streamsOpened).toBeGreaterThan(opened), 90_000);
  }

  expect(await log.locator("[data-tone]").allTextContents()).toEqual(
    Array.from({ length: 12 }, (_, i) => [`before cut ${i + 1}`, `during cut ${i + 1}`])
      .flat()
      .map((line, index) => `${index + 1}${line}`),
  );
  expect(await page.evaluate(() => (window as unknown as { seen: string[] }).seen)).toEqual([]);
  expect(server.streamsOpened).toBeGreaterThanOrEqual(13);
});

test("eight tabs share one stream and all of them follow", async () => {
  const { plane, server } = site;
  const application = plane.addApplication("site");
  const pages = await tabs(8, "/deployments");
  await oneStream();
  server.streamsAtOnce = 1;

  const deployment = plane.commit(application, "Say hello to eight", pipeline);

  for (const page of pages) {
    await page.getByRole("link", { name: `Deployment ${deployment.slice(0, 8)} of site` }).waitFor();
  }
  expect(server.streams.size).toBe(1);
  expect(server.streamsAtOnce).toBe(1);
});

test("when the tab that holds the stream closes another goes on from where it was", async () => {
  const { plane, server } = site;
  const application = plane.addApplication("site");
  const pages = await tabs(3, "/deployments");
  await oneStream();
  plane.commit(application, "The first", pipeline);
  for (const page of pages) await page.getByText("The first").waitFor();

  // The holder is whichever tab's end ends the stream; close them in turn, and commit in each gap.
  for (const [index, page] of pages.slice(0, 2).entries()) {
    await page.close();
    plane.commit(application, `While ${index} closes`, pipeline);
    for (const left of pages.slice(index + 1)) await left.getByText(`While ${index} closes`).waitFor();
    await oneStream();
  }

  expect(server.streamsOpened).toBeGreaterThanOrEqual(2);
});

test("a cursor that is too old makes the page read everything again", async () => {
  const { plane, server } = site;
  const application = plane.addApplication("site");
  const page = await site.loggedIn("/deployments");
  await page.getByText("No deployments yet").waitFor();
  await oneStream();

  server.holdStreams = true;
  server.cut();
  plane.commit(application, "Long ago", pipeline);
  plane.changes.splice(0); // the server has forgotten them
  server.holdStreams = false;

  await page.getByText("Long ago").waitFor();
});

test("a page that is cut off for long says so, and stops saying so", async () => {
  const page = await site.loggedIn("/deployments");
  await oneStream();

  site.server.holdStreams = true;
  site.server.cut();
  await page.getByText("Reconnecting…").waitFor();
  site.server.holdStreams = false;

  await page.getByText("Reconnecting…").waitFor({ state: "detached" });
});

test("a session that ends leads every tab to the login page and back to where it was", async () => {
  const { plane, server } = site;
  const application = plane.addApplication("site");
  const pages = await tabs(2, `/applications/${application}`);
  await oneStream();

  server.signedIn = false;
  server.cut();
  for (const page of pages) await page.getByRole("button", { name: "Log in" }).waitFor();
  server.signedIn = true;
  const [page] = pages as [Page];
  await page.locator('input[name="username"]').fill(account.user);
  await page.locator('input[name="password"]').fill(account.password);
  await page.getByRole("button", { name: "Log in" }).click();

  await page.waitForURL(`${site.url}/applications/${application}`);
});

test("what runs is shown as it is reported, to as many tabs as look, and read for none that do not", async () => {
  const { plane } = site;
  const id = plane.addApplication("site");
  const pages = await tabs(3, `/applications/${id}`);
  for (const page of pages) await page.getByText("Nothing was reported yet").waitFor();
  await oneStream();
  const [elsewhere, ...looking] = pages as [Page, ...Page[]];
  await elsewhere.getByRole("link", { name: "Applications", exact: true }).first().click();
  await elsewhere.getByRole("heading", { name: "Applications" }).waitFor();
  const read: string[] = [];
  elsewhere.on("request", (request) => read.push(request.url()));

  const resources = [{ id: "1", name: "web", pluginName: "kubernetes", deployTarget: "prod" }];
  plane.reportLiveState(id, { applicationLiveState: { resources } }, 1n);
  for (const page of looking) await page.getByRole("cell", { name: "web", exact: true }).waitFor();

  plane.onLiveStateWanted = () => {
    plane.onLiveStateWanted = () => undefined;
    plane.reportLiveState(id, { applicationLiveState: { resources: [] } });
  };
  await looking[0]?.getByRole("button", { name: "Refresh" }).click();
  for (const page of looking) await page.getByText("as of just now").waitFor();
  expect(read.filter((url) => url.endsWith("/GetApplicationLiveState"))).toEqual([]);
});
