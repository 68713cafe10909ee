// SPDX-License-Identifier: Apache-2.0
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { WebService } from "./gen/service/webservice/service_pb";
import { withRequestId } from "./requestId";

function client(answer: (id: string) => never) {
  return createClient(
    WebService,
    createRouterTransport(
      ({ service }) =>
        service(WebService, { getMe: (_, call) => answer(call.requestHeader.get("x-request-id") ?? "") }),
      { transport: { interceptors: [withRequestId] } },
    ),
  );
}

async function idOf(call: Promise<unknown>): Promise<string | null> {
  try {
    await call;
    return null;
  } catch (error) {
    return ConnectError.from(error).metadata.get("x-request-id");
  }
}

test("every call is named, and a failure carries the name", async () => {
  const seen: string[] = [];
  const web = client((id) => {
    seen.push(id);
    throw new ConnectError("broken", Code.Internal);
  });

  const first = await idOf(web.getMe({}));
  const second = await idOf(web.getMe({}));

  expect(seen).toEqual([first, second]);
  expect(first).toMatch(/^[0-9a-f]{16}$/);
  expect(second).not.toBe(first);
});

test("the name the server gave counts more than ours", async () => {
  const web = client(() => {
    throw new ConnectError("broken", Code.Internal, { "x-request-id": "theirs" });
  });

  expect(await idOf(web.getMe({}))).toBe("theirs");
});
