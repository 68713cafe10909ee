// SPDX-License-Identifier: Apache-2.0
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { web } from "../../api/client";
import { keys } from "../../api/keys";
import { isNotFound, problemOf } from "../../api/problem";
import { emptyLog, withBlocks, type StageLog } from "./log";

type Stage = { deploymentId: string; stageId: string; retries: number; started: boolean };

/** A stage's log; each time something is new, only what is new is fetched. */
export function useStageLog({ deploymentId, stageId, retries, started }: Stage) {
  const client = useQueryClient();
  const queryKey = [...keys.stageLog(deploymentId, stageId), retries];
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const known = client.getQueryData<StageLog>(queryKey) ?? emptyLog;
      const place = { deploymentId, stageId, retriedCount: retries, offsetIndex: known.next };
      try {
        const { blocks, completed } = await web.getStageLog(place, { signal });
        return withBlocks(known, blocks, completed);
      } catch (failure) {
        if (isNotFound(failure)) return known; // nothing written yet
        throw failure;
      }
    },
    enabled: started,
    structuralSharing: false, // comparing 50,000 lines on each new one would cost more than drawing them
  });
  return { log: data, problem: data ? undefined : problemOf(error), onRetry: () => void refetch() };
}
