// SPDX-License-Identifier: Apache-2.0
import "@mantine/core/styles.css";
import "../design/tokens.css";
import { MantineProvider } from "@mantine/core";
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { isPassing, isUnauthenticated } from "../api/problem";
import { cssVariables, theme } from "../design/theme";
import { rememberWanted } from "../features/session/session";
import { LiveUpdates } from "./live";
import { makeRouter } from "./router";

const client = new QueryClient({
  queryCache: new QueryCache({ onError: endSessionIfOver }),
  mutationCache: new MutationCache({ onError: endSessionIfOver }),
  defaultOptions: {
    queries: {
      networkMode: "always", // a control plane on this machine answers without a network
      staleTime: 5_000,
      refetchOnWindowFocus: false, // the stream tells what changed
      retry: (failures, error) => isPassing(error) && failures < 2,
    },
    mutations: { networkMode: "always" },
  },
});
const live = new LiveUpdates(client, () => {
  rememberWanted(router.state.location.href);
  window.location.assign("/login"); // a fresh page: nothing of the old session stays in memory
});
const router = makeRouter({ client, live });

function endSessionIfOver(error: unknown) {
  if (isUnauthenticated(error)) live.end();
}

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
