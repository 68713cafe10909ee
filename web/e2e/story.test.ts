// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { Command_Type, type Command } from "../src/api/gen/model/command_pb";
import { DeploymentStatus, StageStatus } from "../src/api/gen/model/deployment_pb";
import { LogSeverity } from "../src/api/gen/model/logblock_pb";
import { account, pipeline, Site } from "./site";
import { walkStory } from "./story.mjs";

const site = Site.forTests();

test("a commit walks from the list to success before the person's eyes", async () => {
  const { plane } = site;
  const application = plane.addApplication("site");
  const steps: string[] = [];
  let deployment = "";
  plane.onOrder = (command) => {
    expect(command.type).toBe(Command_Type.APPROVE_STAGE);
    plane.handled(command.id);
    plane.stage(deployment, 2, StageStatus.STAGE_SUCCESS);
    plane.stage(deployment, 3, StageStatus.STAGE_RUNNING);
    plane.write(deployment, 3, ["published"]);
    plane.stage(deployment, 3, StageStatus.STAGE_SUCCESS);
    plane.finish(deployment, DeploymentStatus.DEPLOYMENT_SUCCESS, "Succeeded");
  };

  await walkStory(site.browser, {
    ...account,
    url: site.url,
    application: "site",
    screenshot: undefined,
    timeoutMs: 90_000,
    onReady: async () => {
      deployment = plane.commit(application, "Say hello", pipeline);
      plane.stage(deployment, 0, StageStatus.STAGE_RUNNING);
      plane.write(deployment, 0, ["checking the page", "\u001b[32mok\u001b[0m"]);
      plane.stage(deployment, 0, StageStatus.STAGE_SUCCESS);
      plane.stage(deployment, 1, StageStatus.STAGE_SUCCESS);
      plane.stage(deployment, 2, StageStatus.STAGE_RUNNING);
      plane.write(deployment, 2, ["waiting for approval"]);
    },
    onStep: (step) => steps.push(step),
  });

  expect(steps.at(-1)).toBe("see it succeed");
});

test("log lines arrive one by one and each is fetched once", async () => {
  const { plane } = site;
  const deployment = plane.commit(plane.addApplication("site"), "Say hello", pipeline);
  plane.stage(deployment, 0, StageStatus.STAGE_RUNNING);
  const page = await site.loggedIn(`/deployments/${deployment}`);
  const log = page.getByRole("region", { name: "Log of stage SCRIPT_RUN" });
  await page.getByText("Nothing written yet").waitFor();

  for (const line of ["first", "second", "third"]) {
    plane.write(deployment, 0, [line]);
    await log.getByText(line).waitFor();
  }
  plane.write(deployment, 0, ["\u001b[31mred\u001b[0m"], LogSeverity.ERROR);
  await log.getByText("red", { exact: true }).waitFor();

  expect(await log.getByText("red", { exact: true }).evaluate((node) => getComputedStyle(node).color)).toBe(
    "rgb(255, 143, 143)",
  );
  expect(plane.linesGiven).toBe(4);
});

test("cancelling asks first and sends the way that was chosen", async () => {
  const { plane } = site;
  const deployment = plane.commit(plane.addApplication("site"), "Say hello", pipeline);
  plane.stage(deployment, 0, StageStatus.STAGE_RUNNING);
  const orders: Command[] = [];
  plane.onOrder = (command) => orders.push(command);
  const page = await site.loggedIn(`/deployments/${deployment}`);

  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("menuitem", { name: "Cancel without rollback" }).click();
  const dialog = page.getByRole("dialog", { name: "Cancel without rollback?" });
  await dialog.getByText("half done or not").waitFor();
  expect(orders).toEqual([]);
  await dialog.getByRole("button", { name: "Cancel without rollback" }).click();
  await page.getByRole("button", { name: "Cancelling…" }).waitFor();
  plane.stage(deployment, 0, StageStatus.STAGE_CANCELLED);
  plane.finish(deployment, DeploymentStatus.DEPLOYMENT_CANCELLED, "Cancelled", "Cancelled by hello-pipecd");
  await page.getByText("Cancelled by hello-pipecd").waitFor();

  expect(orders.map(({ cancelDeployment }) => cancelDeployment)).toMatchObject([
    { deploymentId: deployment, forceRollback: false, forceNoRollback: true },
  ]);
  expect(await page.getByRole("button", { name: /^Cancel(ling…)?$/ }).count()).toBe(0);
});

test("a failure shows its rollback once it has started, and how it ended", async () => {
  const { plane } = site;
  const deployment = plane.commit(plane.addApplication("broken"), "Break it", pipeline);
  plane.stage(deployment, 0, StageStatus.STAGE_RUNNING);
  const page = await site.loggedIn(`/deployments/${deployment}`);
  const stages = page.getByRole("group", { name: "Stages" }).getByRole("button");
  await stages.first().waitFor();
  expect(await stages.count()).toBe(4);

  plane.stage(deployment, 0, StageStatus.STAGE_FAILURE, "the script ended with 1");
  plane.rollingBack(deployment);
  plane.stage(deployment, 4, StageStatus.STAGE_RUNNING);
  await page.getByRole("button", { name: /SCRIPT_RUN_ROLLBACK/ }).waitFor();
  plane.stage(deployment, 4, StageStatus.STAGE_SUCCESS);
  plane.finish(
    deployment,
    DeploymentStatus.DEPLOYMENT_FAILURE,
    "RolledBack",
    "SCRIPT_RUN failed; rolled back",
  );

  await page.getByTitle("How it ended").getByText("Rolled back").waitFor();
  await page.getByText("SCRIPT_RUN failed; rolled back").waitFor();
});

test("a sync is followed to its deployment", async () => {
  const { plane } = site;
  const application = plane.addApplication("site");
  let command = "";
  plane.onOrder = ({ id }) => (command = id);
  const page = await site.loggedIn(`/applications/${application}`);

  await page.getByRole("button", { name: "Sync", exact: true }).click();
  await page.getByText("Waiting for the agent").waitFor();
  const deployment = plane.commit(application, "Say hello", pipeline);
  plane.handled(command, { TriggeredDeploymentID: deployment });
  await page.getByRole("link", { name: "Open the deployment" }).click();

  await page.waitForURL(`${site.url}/deployments/${deployment}`);
});
