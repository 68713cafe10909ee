// SPDX-License-Identifier: Apache-2.0
import { ConnectError, type Interceptor } from "@connectrpc/connect";

export const requestIdHeader = "x-request-id";

/** Sixteen hexadecimal digits; also where the page came without TLS and there is no randomUUID. */
function freshId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** Names every call, so that what a person sees, the server's log and the audit log can be put together. */
export const withRequestId: Interceptor = (next) => async (request) => {
  const id = freshId();
  request.header.set(requestIdHeader, id);
  try {
    return await next(request);
  } catch (error) {
    const failed = ConnectError.from(error);
    // The server did not answer: proxies on the way may still have logged it.
    if (!failed.metadata.has(requestIdHeader)) failed.metadata.set(requestIdHeader, id);
    throw failed;
  }
};
