// SPDX-License-Identifier: Apache-2.0
import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { web } from "../../api/client";
import { SyncStrategy } from "../../api/gen/model/common_pb";
import { problemOf } from "../../api/problem";
import { applicationQuery, commandQuery, deploymentPagesQuery } from "../../api/queries";
import { applicationView, recentDeployment, syncProgress } from "./application";

export function useApplication(id: string) {
  const { data, error, refetch } = useQuery({ ...applicationQuery(id), select: applicationView });
  return { application: data, problem: data ? undefined : problemOf(error), onRetry: () => void refetch() };
}

export function useRecentDeployments(applicationId: string) {
  const { data } = useInfiniteQuery(deploymentPagesQuery({ applicationId, pageSize: 5 }));
  return data?.pages[0]?.deployments.slice(0, 5).map(recentDeployment);
}

export type SyncWay = "auto" | "quick" | "pipeline";

const strategies = {
  auto: SyncStrategy.AUTO,
  quick: SyncStrategy.QUICK_SYNC,
  pipeline: SyncStrategy.PIPELINE,
} as const;

/** Orders a sync and follows the order until a deployment has come of it. */
export function useSync(applicationId: string) {
  const order = useMutation({
    mutationFn: (way: SyncWay) =>
      web
        .syncApplication({ applicationId, syncStrategy: strategies[way] })
        .then((answer) => answer.commandId),
  });
  const command = useQuery({ ...commandQuery(order.data ?? ""), enabled: order.data !== undefined });
  return {
    onSync: (way: SyncWay) => order.mutate(way),
    ordering: order.isPending,
    progress: syncProgress(order.data !== undefined, command.data),
    problem: problemOf(order.error ?? command.error),
  };
}
