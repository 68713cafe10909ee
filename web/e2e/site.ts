// SPDX-License-Identifier: Apache-2.0
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, afterEach } from "vitest";
import { launchBrowser } from "./browser.mjs";
import { ApplicationLiveStateSnapshot_Status } from "../src/api/gen/model/application_live_state_pb";
import { FakeControlPlane } from "./fakeControlPlane";
import { FakeServer } from "./fakeServer";

export const account = { project: "quickstart", user: "hello-pipecd", password: "hello-pipecd" };
export const pipeline = ["SCRIPT_RUN", "WAIT", "WAIT_APPROVAL!", "SCRIPT_RUN", "SCRIPT_RUN_ROLLBACK~"];

const at = { createdAt: 1n, updatedAt: 1n };
const pod = { resourceType: "Pod", resourceMetadata: { Namespace: "shop" }, parentIds: ["1"], ...at };
/** What a plugin sees on two targets, not all of it well. */
export const running = {
  healthStatus: ApplicationLiveStateSnapshot_Status.UNHEALTHY,
  applicationLiveState: {
    resources: ["prod", "staging"].flatMap((deployTarget) =>
      [
        { ...pod, id: "1", name: "web", resourceType: "Deployment", parentIds: [], healthStatus: 1 },
        { ...pod, id: "2", name: "web-7d4b9-x2x1z", healthStatus: 1 },
        { ...pod, id: "3", name: "web-7d4b9-k8s9q", healthStatus: 2, healthDescription: "ImagePullBackOff" },
        { ...pod, id: "4", name: "settings", resourceType: "ConfigMap", parentIds: [] },
      ].map((resource) => ({ ...resource, pluginName: "kubernetes", deployTarget })),
    ),
  },
};

/** A browser for the file, a fresh server for each test. */
export class Site {
  browser!: Browser;
  plane!: FakeControlPlane;
  server!: FakeServer;
  url = "";

  static forTests(): Site {
    const site = new Site();
    beforeAll(async () => {
      site.browser = await launchBrowser();
    });
    afterAll(() => site.browser.close());
    beforeEach(async () => {
      site.plane = new FakeControlPlane();
      site.server = new FakeServer(site.plane);
      site.url = await site.server.start();
    });
    afterEach(async () => {
      await Promise.all(site.browser.contexts().map((context) => context.close()));
      await site.server.stop();
    });
    return site;
  }

  async newPage(): Promise<Page> {
    const context = await this.browser.newContext({
      viewport: { width: 1360, height: 900 },
      reducedMotion: "reduce",
    });
    context.setDefaultTimeout(90_000);
    return context.newPage();
  }

  /** An empty page in a browser that has logged in before. */
  async withSession(): Promise<Page> {
    const page = await this.newPage();
    await page.context().addCookies([{ name: "token", value: "good", url: this.url, httpOnly: true }]);
    return page;
  }

  async loggedIn(path = "/applications"): Promise<Page> {
    const page = await this.withSession();
    await page.goto(this.url + path);
    await page.locator("h1").waitFor();
    return page;
  }
}
