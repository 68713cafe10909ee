// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook, waitFor } from "@testing-library/react";
import { createElement, type ReactNode } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { web } from "../../api/client";
import { GetApplicationLiveStateResponseSchema } from "../../api/gen/service/webservice/service_pb";
import { useLiveState } from "./useLiveState";

const reported = (timestamp: bigint) =>
  create(GetApplicationLiveStateResponseSchema, {
    snapshot: { applicationId: "a1", version: { timestamp } },
  });
const asked = vi.spyOn(web, "getApplicationLiveState");

afterEach(() => {
  vi.useRealTimers();
  asked.mockReset();
});

function watch() {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const wrapper = ({ children }: { children: ReactNode }) =>
    createElement(QueryClientProvider, { client }, children);
  return renderHook(() => useLiveState("a1"), { wrapper });
}

test("what was not reported yet is no failure", async () => {
  asked.mockRejectedValue(new ConnectError("live state a1: not found", Code.NotFound));
  const { result } = watch();

  await waitFor(() => expect(result.current.state?.at).toBe(0));
  expect(result.current.problem).toBeUndefined();
});

test("a failure is told", async () => {
  asked.mockRejectedValue(new ConnectError("no role", Code.PermissionDenied));
  const { result } = watch();

  await waitFor(() => expect(result.current.problem?.message).toBe("no role"));
});

test("a wish is answered by a newer report", async () => {
  asked.mockResolvedValue(reported(100n));
  const { result } = watch();
  await waitFor(() => expect(result.current.state?.at).toBe(100));

  act(() => result.current.onRefresh());
  expect(result.current.looking).toBe(true);
  await waitFor(() => expect(asked).toHaveBeenCalledTimes(2));
  expect(result.current.looking).toBe(true);
  asked.mockResolvedValue(reported(160n));
  act(() => result.current.onRefresh());

  await waitFor(() => expect(result.current.state?.at).toBe(160));
  expect(result.current).toMatchObject({ looking: false, unanswered: false });
});

test("a report of this moment is not waited for again", async () => {
  const now = Math.floor(Date.now() / 1000);
  asked.mockResolvedValue(reported(BigInt(now)));
  const { result } = watch();
  await waitFor(() => expect(result.current.state?.at).toBe(now));

  act(() => result.current.onRefresh());

  expect(result.current.looking).toBe(false);
  await waitFor(() => expect(asked).toHaveBeenCalledTimes(2));
});

test("a wish that nobody answers is given up", async () => {
  asked.mockResolvedValue(reported(100n));
  const { result } = watch();
  await waitFor(() => expect(result.current.state?.at).toBe(100));

  vi.useFakeTimers();
  act(() => result.current.onRefresh());
  act(() => vi.advanceTimersByTime(15_000));

  expect(result.current).toMatchObject({ looking: false, unanswered: true });
});
