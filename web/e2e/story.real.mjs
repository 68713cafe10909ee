// SPDX-License-Identifier: Apache-2.0
// The story against a running control plane; the caller makes the commit after the line "ready".
import { launchBrowser } from "./browser.mjs";
import { walkStory } from "./story.mjs";

const { PIPECD_URL, PIPECD_PROJECT, PIPECD_USER, PIPECD_PASSWORD, PIPECD_APPLICATION } = process.env;
const { PIPECD_SCREENSHOT, PIPECD_TIMEOUT } = process.env;

let step = "start";
if (!PIPECD_URL) {
  console.error(
    "PIPECD_URL: missing (expected: the address of a control plane, such as http://localhost:8080)",
  );
  process.exit(2);
}
const browser = await launchBrowser();
try {
  const address = await walkStory(browser, {
    url: PIPECD_URL.replace(/\/$/, ""),
    project: PIPECD_PROJECT ?? "quickstart",
    user: PIPECD_USER ?? "hello-pipecd",
    password: PIPECD_PASSWORD ?? "hello-pipecd",
    application: PIPECD_APPLICATION ?? "site",
    screenshot: PIPECD_SCREENSHOT,
    timeoutMs: Number(PIPECD_TIMEOUT ?? 180) * 1000,
    onReady: async () => console.log("ready"),
    onStep: (next) => {
      step = next;
      console.log(`step: ${next}`);
    },
  });
  console.log(`succeeded: ${address}`);
} catch (error) {
  console.error(`failed at step "${step}": ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
