// SPDX-License-Identifier: Apache-2.0
import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { ApplicationSyncStatus } from "../src/api/gen/model/application_pb";
import { DeploymentStatus, StageStatus } from "../src/api/gen/model/deployment_pb";
import { LogSeverity } from "../src/api/gen/model/logblock_pb";
import { pipeline, running, Site } from "./site";

declare global {
  interface Window {
    axe: typeof axe;
  }
}

const site = Site.forTests();
const shots = process.env["PIPECD_SHOTS"]; // a folder for pictures of every page

/** Reads the page as a screen reader would, then measures its colours in the other scheme too. */
async function look(page: Page, name: string) {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    if (shots) await page.screenshot({ path: `${shots}/${colorScheme}-${name}.png`, fullPage: true });
    await page.evaluate(axe.source);
    const faults = await page.evaluate(async (colours) => {
      const rules = ["color-contrast", "link-in-text-block"];
      const { violations } = await window.axe.run(colours ? { runOnly: rules } : {});
      return violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 160))]);
    }, colorScheme === "dark");
    expect(faults, `${name}, ${colorScheme}`).toEqual([]);
  }
}

/** Applications and deployments in every state there is. */
function furnish() {
  const { plane } = site;
  const shop = plane.addApplication("shop", { labels: { team: "web", env: "demo" } });
  const broken = plane.addApplication("broken-config", {
    syncState: {
      status: ApplicationSyncStatus.INVALID_CONFIG,
      shortReason: "The configuration cannot be read",
      reason:
        'broken-config/app.pipecd.yaml:\n  3:5: unknown key "pipelin" (did you mean "pipeline"?)\n  9:11: timeout: "soon" (expected: a duration such as 5m)',
      timestamp: 1n,
    },
  });
  const drifted = plane.addApplication("drifted", {
    syncState: {
      status: ApplicationSyncStatus.OUT_OF_SYNC,
      shortReason: "2 files differ",
      reason: "index.html\nstyle.css",
      timestamp: 1n,
    },
  });
  plane.reportLiveState(drifted, running, 1n);
  plane.addApplication("off", { disabled: true });
  const statuses: [DeploymentStatus, string][] = [
    [DeploymentStatus.DEPLOYMENT_CANCELLED, "Cancelled"],
    [DeploymentStatus.DEPLOYMENT_CANCELLED, "Superseded"],
    [DeploymentStatus.DEPLOYMENT_FAILURE, "TimedOut"],
    [DeploymentStatus.DEPLOYMENT_FAILURE, "PartlyRolledBack"],
    [DeploymentStatus.DEPLOYMENT_FAILURE, "Lost"],
    [DeploymentStatus.DEPLOYMENT_SUCCESS, "Succeeded"],
  ];
  for (const [status, outcome] of statuses) {
    plane.finish(
      plane.commit(shop, `Change the page (${outcome})`, pipeline, "Ben Example"),
      status,
      outcome,
    );
  }
  const failed = plane.commit(shop, "Use a picture that is not there", pipeline, "Ben Example");
  plane.stage(failed, 0, StageStatus.STAGE_SUCCESS);
  plane.stage(failed, 1, StageStatus.STAGE_SUCCESS);
  plane.stage(failed, 2, StageStatus.STAGE_SUCCESS);
  plane.stage(failed, 3, StageStatus.STAGE_FAILURE, "the script ended with exit code 1");
  plane.write(
    failed,
    3,
    ["publishing /srv/site", "cp: cannot stat 'logo.png': No such file or directory"],
    LogSeverity.ERROR,
  );
  plane.stage(failed, 4, StageStatus.STAGE_SUCCESS);
  plane.finish(
    failed,
    DeploymentStatus.DEPLOYMENT_FAILURE,
    "RolledBack",
    "Stage SCRIPT_RUN failed: the script ended with exit code 1. Everything was rolled back.",
  );
  const waiting = plane.commit(
    plane.addApplication("site", { labels: { team: "web" } }),
    "Greet the reader by name\n\nBody",
    pipeline,
  );
  plane.stage(waiting, 0, StageStatus.STAGE_SUCCESS);
  plane.stage(waiting, 1, StageStatus.STAGE_SUCCESS);
  plane.stage(waiting, 2, StageStatus.STAGE_RUNNING);
  plane.write(waiting, 2, [
    "Waiting for one approval",
    "\u001b[33mNobody has approved yet\u001b[0m",
    "\u001b[1;34mblue\u001b[0m \u001b[2mdim\u001b[0m \u001b[41;97m on red \u001b[0m \u001b[32mgreen\u001b[0m",
  ]);
  const piped = plane.addPiped("dev", [
    { kind: "plugin", name: "wait", ok: true, detail: "ready, version 1.2.3" },
    { kind: "repository", name: "demo", ok: false, detail: "cannot be fetched", advice: "Look at it." },
  ]);
  return { shop, broken, drifted, failed, waiting, piped };
}

/** Every page, and what is on it once it is there. */
const pages: [string, (page: Page, furniture: ReturnType<typeof furnish>) => Promise<unknown>][] = [
  [
    "applications",
    async (page) => {
      await page.goto(`${site.url}/applications`);
      await page.getByRole("link", { name: "shop" }).waitFor();
    },
  ],
  [
    "application",
    async (page, { shop }) => {
      await page.goto(`${site.url}/applications/${shop}`);
      await page.getByText("Recent deployments").waitFor();
      await page.getByRole("link", { name: "Open", exact: true }).first().waitFor();
    },
  ],
  [
    "invalid",
    async (page, { broken }) => {
      await page.goto(`${site.url}/applications/${broken}`);
      await page.getByText("The configuration cannot be read").first().waitFor();
      await page.getByText("No deployments yet").waitFor();
    },
  ],
  [
    "drifted",
    async (page, { drifted }) => {
      await page.goto(`${site.url}/applications/${drifted}`);
      await page.getByText("The whole reason").click();
      await page.getByRole("region", { name: "kubernetes: prod", exact: true }).waitFor();
      await page.getByText("it may be different now").waitFor();
    },
  ],
  [
    "deployments",
    async (page) => {
      await page.goto(`${site.url}/deployments`);
      await page
        .getByRole("link", { name: /^Deployment \S+ of/ })
        .first()
        .waitFor();
    },
  ],
  [
    "deployment",
    async (page, { waiting }) => {
      await page.goto(`${site.url}/deployments/${waiting}`);
      await page.getByText("Nobody has approved yet").waitFor();
      await page.getByRole("group", { name: "Stages" }).waitFor();
    },
  ],
  [
    "cancel",
    async (page, { waiting }) => {
      await page.goto(`${site.url}/deployments/${waiting}`);
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("menuitem", { name: "Cancel with rollback" }).click();
      await page.getByRole("dialog").getByText("rolled back").waitFor();
    },
  ],
  [
    "failed",
    async (page, { failed }) => {
      await page.goto(`${site.url}/deployments/${failed}`);
      await page.getByText("cannot stat").waitFor();
      await page.getByRole("group", { name: "Stages" }).waitFor();
    },
  ],
  [
    "agents",
    async (page) => {
      await page.goto(`${site.url}/agents`);
      await page.getByRole("link", { name: "dev" }).waitFor();
    },
  ],
  [
    "agent",
    async (page, { piped }) => {
      await page.goto(`${site.url}/agents/${piped}`);
      await page.getByText("cannot be fetched").waitFor();
    },
  ],
  [
    "problem",
    async (page) => {
      await page.goto(`${site.url}/deployments/unknown`);
      await page.getByText("deployment unknown: not found").waitFor();
    },
  ],
  [
    "design",
    async (page) => {
      await page.goto(`${site.url}/design`);
      await page.getByText("Nothing here").waitFor();
    },
  ],
  [
    "nowhere",
    async (page) => {
      await page.goto(`${site.url}/nowhere`);
      await page.getByText("There is no such page").waitFor();
    },
  ],
];

test.each(pages)("everyone can read the page %s, in both schemes", async (name, open) => {
  const furniture = furnish();
  const page = await site.withSession();

  await open(page, furniture);

  await look(page, name);
});

test("everyone can read that there is nothing yet, in both schemes", async () => {
  const page = await site.loggedIn();

  await page.getByText("No applications yet").waitFor();

  await look(page, "empty");
});

test("everyone can read the login page, in both schemes", async () => {
  const page = await site.newPage();
  await page.context().addCookies([{ name: "error", value: "wrong%20password", url: site.url }]);

  await page.goto(`${site.url}/login?project=quickstart`);
  await page.getByRole("alert").waitFor();

  await look(page, "login");
});
