// SPDX-License-Identifier: Apache-2.0
import { Code, ConnectError } from "@connectrpc/connect";
import { requestIdHeader } from "./requestId";

/** What went wrong, in the server's words, and what the reader can do about it. */
export type Problem = { title: string; message: string; advice: string; requestId?: string };

export function isUnauthenticated(error: unknown): boolean {
  return ConnectError.from(error).code === Code.Unauthenticated;
}

export function isNotFound(error: unknown): boolean {
  return ConnectError.from(error).code === Code.NotFound;
}

/** Whether asking again can help; a refusal stays a refusal. */
export function isPassing(error: unknown): boolean {
  const { code } = ConnectError.from(error);
  return code === Code.Unavailable || code === Code.DeadlineExceeded || code === Code.Unknown;
}

export function problemOf(error: unknown): Problem | undefined {
  if (error === null || error === undefined) return undefined;
  const { code, rawMessage, metadata } = ConnectError.from(error);
  const [title, advice] = words(code);
  const requestId = metadata.get(requestIdHeader);
  return { title, message: rawMessage, advice, ...(requestId && { requestId }) };
}

function words(code: Code): [title: string, advice: string] {
  switch (code) {
    case Code.Unauthenticated:
      return ["You are not logged in", "Log in again; the session may have ended."];
    case Code.PermissionDenied:
      return ["You may not do this", "Ask a project administrator for a role that allows it."];
    case Code.NotFound:
      return ["Not found", "It may belong to another project or have been removed. Check the address."];
    case Code.InvalidArgument:
      return ["The server refused the request", "Correct the value named above and try again."];
    case Code.FailedPrecondition:
    case Code.Aborted:
      return ["Not possible any more", "It has changed meanwhile. The page shows the current state."];
    case Code.ResourceExhausted:
      return ["Too many requests", "Wait a moment, then try again."];
    case Code.Unavailable:
    case Code.DeadlineExceeded:
    case Code.Unknown:
      return ["The control plane does not answer", "Check that it is running and reachable, then try again."];
    case Code.Unimplemented:
      return [
        "This server does not offer that",
        "Web page and server may differ in version. Reload the page.",
      ];
    default:
      return [
        "The control plane failed",
        "Try again. If it stays, the server's log tells why, under the request's id.",
      ];
  }
}
