// SPDX-License-Identifier: Apache-2.0
import { QueryClient } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { sessionQuery } from "../api/queries";
import { LiveUpdates } from "./live";
import { makeRouter } from "./router";

test("links of the public system to its page of agents lead to ours", async () => {
  const client = new QueryClient();
  client.setQueryData(sessionQuery.queryKey, { projectId: "here" } as never);
  const live = new LiveUpdates(client, () => undefined);
  vi.spyOn(live, "start").mockReturnValue(undefined);
  window.history.replaceState(null, "", "/settings/piped?project=here");

  const router = makeRouter({ client, live });
  await router.load();

  expect(router.state.location.pathname).toBe("/agents");
});
