// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQuery } from "@tanstack/react-query";
import { web } from "../../api/client";
import { CommandStatus } from "../../api/gen/model/command_pb";
import { problemOf } from "../../api/problem";
import { commandQuery, deploymentQuery } from "../../api/queries";
import { deploymentView } from "./deployment";

export function useDeployment(id: string) {
  const { data, error, refetch } = useQuery({ ...deploymentQuery(id), select: deploymentView });
  return { deployment: data, problem: data ? undefined : problemOf(error), onRetry: () => void refetch() };
}

export type CancelWay = "as-configured" | "with-rollback" | "without-rollback";

export function useCancel(deploymentId: string) {
  const order = useMutation({
    mutationFn: (way: CancelWay) =>
      web.cancelDeployment({
        deploymentId,
        forceRollback: way === "with-rollback",
        forceNoRollback: way === "without-rollback",
      }),
  });
  const refusal = useRefusal(order.data?.commandId);
  return {
    onCancel: (way: CancelWay) => order.mutate(way),
    ordered: order.isPending || (order.isSuccess && !refusal),
    problem: problemOf(order.error) ?? refusal,
  };
}

export function useApprove(deploymentId: string) {
  const order = useMutation({
    mutationFn: (stageId: string) => web.approveStage({ deploymentId, stageId }),
  });
  const refusal = useRefusal(order.data?.commandId);
  return {
    onApprove: (stageId: string) => order.mutate(stageId),
    orderedFor: order.isPending || (order.isSuccess && !refusal) ? order.variables : undefined,
    problem: problemOf(order.error) ?? refusal,
  };
}

/** An order the agent could not carry out; while it is under way there is none. */
function useRefusal(commandId: string | undefined) {
  const { data } = useQuery({ ...commandQuery(commandId ?? ""), enabled: commandId !== undefined });
  switch (data?.status) {
    case CommandStatus.COMMAND_FAILED:
      return {
        title: "The agent could not carry this out",
        message: Object.values(data.metadata).join("\n"),
        advice: "The deployment may have moved on meanwhile. The page shows its current state.",
      };
    case CommandStatus.COMMAND_TIMEOUT:
      return {
        title: "The agent did not take the order in time",
        message: "",
        advice: "Check that the agent is running, then try again.",
      };
    default:
      return undefined;
  }
}
