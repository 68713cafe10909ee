// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { problemOf } from "../../api/problem";
import { pipedHealthQuery, pipedQuery, pipedsQuery } from "../../api/queries";
import { healthView, pipedList, pipedView } from "./piped";

export function usePipeds() {
  const { data, error, refetch } = useQuery({ ...pipedsQuery, select: pipedList });
  return { pipeds: data, problem: data ? undefined : problemOf(error), onRetry: () => void refetch() };
}

export function usePiped(id: string) {
  const { data, error, refetch } = useQuery({ ...pipedQuery(id), select: pipedView });
  return { piped: data, problem: data ? undefined : problemOf(error), onRetry: () => void refetch() };
}

export function usePipedHealth(id: string) {
  const { data, error } = useQuery({ ...pipedHealthQuery(id), select: healthView });
  return { health: data, problem: data ? undefined : problemOf(error) };
}
