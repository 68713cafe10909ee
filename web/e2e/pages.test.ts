// SPDX-License-Identifier: Apache-2.0
import { Code, ConnectError } from "@connectrpc/connect";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { ApplicationSyncStatus } from "../src/api/gen/model/application_pb";
import { DeploymentStatus, StageStatus } from "../src/api/gen/model/deployment_pb";
import { account, pipeline, Site } from "./site";

const site = Site.forTests();

test("a wrong password is told where it was typed, once", async () => {
  const page = await site.newPage();
  await page.goto(`${site.url}/deployments?project=quickstart`);
  expect(await page.locator('input[name="project"]').inputValue()).toBe("quickstart");

  await page.locator('input[name="username"]').fill("hello-pipecd");
  await page.locator('input[name="password"]').fill("wrong");
  await page.getByRole("button", { name: "Log in" }).click();

  await page.getByRole("alert").getByText("wrong username or password").waitFor();
  expect(await page.locator('input[name="project"]').inputValue()).toBe("quickstart");
  await page.reload();
  await page.getByRole("button", { name: "Log in" }).waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
});

test("after the login the page that was wanted opens", async () => {
  const page = await site.newPage();
  await page.goto(`${site.url}/deployments?status=running`);
  await page.locator('input[name="project"]').fill("quickstart");
  await page.locator('input[name="username"]').fill(account.user);
  await page.locator('input[name="password"]').fill(account.password);
  await page.getByRole("button", { name: "Log in" }).click();

  await page.waitForURL(`${site.url}/deployments?status=running`);
});

test("logging out ends at the login page", async () => {
  const page = await site.loggedIn();
  await page.getByRole("button", { name: "hello-pipecd" }).click();
  await page.getByRole("menuitem", { name: "Log out" }).click();

  await page.getByRole("button", { name: "Log in" }).waitFor();
});

test("empty lists say what would fill them", async () => {
  const page = await site.loggedIn();
  await page.getByText("No applications yet").waitFor();
  await page.getByRole("link", { name: "Deployments", exact: true }).click();

  await page.getByText("No deployments yet").waitFor();
});

test("an address that leads nowhere says so", async () => {
  const page = await site.loggedIn();
  await page.goto(`${site.url}/nowhere`);
  await page.getByText("There is no such page").waitFor();
  await page.goto(`${site.url}/deployments/unknown`);

  await page.getByText("deployment unknown: not found").waitFor();
});

test("a server that refuses is quoted, with advice", async () => {
  site.server.failing.set(
    "ListApplications",
    new ConnectError("role: viewer (expected: editor)", Code.PermissionDenied),
  );
  const page = await site.newPage();
  await page.goto(site.url);
  await page.locator('input[name="project"]').fill("quickstart");
  await page.locator('input[name="username"]').fill(account.user);
  await page.locator('input[name="password"]').fill(account.password);
  await page.getByRole("button", { name: "Log in" }).click();

  const alert = page.getByRole("alert");
  await alert.getByText("role: viewer (expected: editor)").waitFor();
  await alert.getByText("Ask a project administrator").waitFor();
  const again = alert.getByRole("button", { name: "Try again" });
  const asked = page.waitForRequest((request) => request.url().endsWith("/ListApplications"));
  await again.click();
  await asked;
  await again.waitFor();

  site.server.failing.clear();
  // Live news may bring the page back before the person does.
  const empty = page.getByText("No applications yet");
  await Promise.any([again.click(), empty.waitFor()]);
  await empty.waitFor();
});

test("an application whose configuration is broken shows why", async () => {
  const reason = 'site/app.pipecd.yaml: 3:5: unknown key "pipelin" (did you mean "pipeline"?)';
  const id = site.plane.addApplication("site", {
    syncState: {
      status: ApplicationSyncStatus.INVALID_CONFIG,
      shortReason: "Invalid configuration",
      reason,
      timestamp: 1n,
    },
  });
  const page = await site.loggedIn(`/applications/${id}`);

  await page.getByText(reason).waitFor();
  await page.getByText("Correct site/app.pipecd.yaml and push").waitFor();
});

test("the list of deployments is filtered by the address and read page by page", async () => {
  const { plane } = site;
  const [one, other] = [plane.addApplication("one"), plane.addApplication("other")];
  for (let i = 0; i < 40; i++) plane.commit(one, `Commit ${i}`, pipeline);
  const done = plane.commit(other, "Of the other", pipeline);
  plane.finish(done, DeploymentStatus.DEPLOYMENT_SUCCESS, "Succeeded");
  const page = await site.loggedIn(`/deployments?application=${one}`);
  const rows = page.getByRole("link", { name: / of one$/ });
  await rows.first().waitFor();
  expect(await rows.count()).toBe(30);
  expect(await page.getByText("Of the other").count()).toBe(0);

  await page.getByRole("button", { name: "Load more" }).click();
  await page.getByText("Commit 0", { exact: true }).waitFor();
  expect(await rows.count()).toBe(40);
  await page.goto(`${site.url}/deployments?status=success`);
  await page.getByText("Of the other").waitFor();
  expect(await rows.count()).toBe(0);
});

test("a plugin that is down is told on the page of its agent, with what to do", async () => {
  site.plane.addPiped("dev", [
    { kind: "plugin", name: "wait", ok: true, detail: "ready, version 1.2.3" },
    {
      kind: "plugin",
      name: "scriptrun",
      ok: false,
      detail: "ended with exit code 1 and is started again",
      advice: "Read its lines in the agent's log.",
    },
  ]);
  const page = await site.loggedIn("/agents");
  await page.getByRole("link", { name: "dev" }).click();

  await page.getByText("Plugin scriptrun").waitFor();
  await page.getByText("ended with exit code 1 and is started again").waitFor();
  await page.getByText("Read its lines in the agent's log.").waitFor();
  await page.getByText("Not well").waitFor();
});

test("applications are found by name as one types", async () => {
  for (const name of ["shop", "site", "search"]) site.plane.addApplication(name);
  const page = await site.loggedIn();
  await page.keyboard.press("/");
  await page.keyboard.type("sho");

  await page.waitForURL(`${site.url}/applications?name=sho`);
  await page.getByRole("link", { name: "site" }).waitFor({ state: "detached" });
  expect(await page.getByRole("link", { name: "shop" }).count()).toBe(1);
});

test("fifty thousand lines are held, searched and saved with few of them drawn", async () => {
  const { plane } = site;
  const deployment = plane.commit(plane.addApplication("site"), "Talk a lot", pipeline);
  plane.stage(deployment, 0, StageStatus.STAGE_RUNNING);
  plane.write(
    deployment,
    0,
    Array.from({ length: 50_000 }, (_, i) => `line ${i + 1}${i === 24_999 ? " needle" : ""}`),
  );
  const page = await site.loggedIn(`/deployments/${deployment}`);
  const log = page.getByRole("region", { name: "Log of stage SCRIPT_RUN" });
  await log.getByText("line 50000", { exact: true }).waitFor();
  expect(await log.locator("[data-tone]").count()).toBeLessThan(80);

  await page.getByLabel("Search in the log").fill("needle");
  await log.getByText("line 25000").waitFor();
  await page.getByText("1 of 1").waitFor();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  const text = await readFile(await (await saved).path(), "utf8");
  expect(text.split("\n").length).toBe(50_001);

  plane.write(deployment, 0, ["one more"]);
  await page.getByText("50,001 lines").waitFor();
  expect(await log.getByText("one more").count()).toBe(0); // reading is not disturbed
  await page.getByRole("button", { name: "Follow" }).click();
  await log.getByText("one more").waitFor();
});

test("a person without a mouse can approve and cancel", async () => {
  const { plane } = site;
  const application = plane.addApplication("site");
  const deployment = plane.commit(application, "Say hello", pipeline);
  plane.stage(deployment, 2, StageStatus.STAGE_RUNNING);
  const orders: string[] = [];
  plane.onOrder = (command) => orders.push(command.approveStage ? "approve" : "cancel");
  const page = await site.loggedIn();
  async function tabTo(name: RegExp) {
    for (let presses = 0; presses < 60; presses++) {
      await page.keyboard.press("Tab");
      const label = await page.evaluate(() => {
        const { activeElement: at } = document;
        return at?.getAttribute("aria-label") ?? at?.textContent ?? "";
      });
      if (name.test(label)) return;
    }
    throw new Error(`not reached by Tab: ${name}`);
  }

  await page.keyboard.press("Shift+D");
  await page.getByRole("heading", { name: "Deployments", level: 1 }).waitFor();
  await page.getByRole("link", { name: /^Deployment \S+ of/ }).waitFor();
  await tabTo(/^Deployment \S+ of site$/);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Approve" }).waitFor();
  await tabTo(/^Cancel$/);
  await tabTo(/^Approve$/);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Approval sent" }).waitFor();
  await tabTo(/SCRIPT_RUN/);
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Stage SCRIPT_RUN", exact: true }).waitFor();
  await tabTo(/^Log of stage/);
  await page.reload();
  await page.getByRole("button", { name: "Cancel" }).waitFor();
  await tabTo(/^Cancel$/);
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Cancel with rollback" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await tabTo(/^Cancel/);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Cancelling…" }).waitFor();

  expect(orders).toEqual(["approve", "cancel"]);
});
