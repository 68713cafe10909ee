// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { HealthService } from "./gen/pipecd/health/v1/health_pb";
import { withRequestId } from "./requestId";
import { WebService } from "./gen/service/webservice/service_pb";

const transport = createGrpcWebTransport({
  baseUrl: window.location.origin,
  interceptors: [withRequestId],
  defaultTimeoutMs: 20_000, // a request that hangs for ever would leave a skeleton for ever
  fetch: (input, init) => window.fetch(input, { ...init, credentials: "same-origin" }),
});

/** The control plane as a logged-in person sees it. */
export const web = createClient(WebService, transport);

/** What the public protocol has no words for: how agents do. */
export const health = createClient(HealthService, transport);
