// SPDX-License-Identifier: Apache-2.0
import {
  DeploymentStatus,
  ManualOperation,
  StageStatus,
  type Deployment,
  type PipelineStage,
} from "../../api/gen/model/deployment_pb";
import { SyncStrategy } from "../../api/gen/model/common_pb";
import { deploymentWord, deploymentWords, firstLine, outcomeWord, stageWord } from "../../api/words";

export type DeploymentView = ReturnType<typeof deploymentView>;
export type StageView = ReturnType<typeof stageView>;

export function deploymentView(deployment: Deployment) {
  const { trigger } = deployment;
  const word = deploymentWord(deployment.status);
  const over = deployment.status >= DeploymentStatus.DEPLOYMENT_SUCCESS;
  const stages = deployment.stages
    .filter(isShown)
    .map((stage) => stageView(stage, startOf(stage, deployment.stages), over));
  return {
    id: deployment.id,
    applicationId: deployment.applicationId,
    applicationName: deployment.applicationName,
    word,
    over,
    outcome: outcomeWord(deployment.metadataV2?.shared?.keyValues),
    reason: deployment.statusReason,
    summary: deployment.summary,
    labels: deployment.labels,
    commit: {
      hash: trigger?.commit?.hash ?? "",
      title: firstLine(trigger?.commit?.message ?? ""),
      url: trigger?.commit?.url ?? "",
      author: trigger?.commit?.author ?? "",
      branch: trigger?.commit?.branch ?? "",
    },
    trigger: triggerText(trigger?.commander ?? ""),
    strategy: trigger?.strategySummary || strategyText(trigger?.syncStrategy ?? SyncStrategy.AUTO),
    startedAt: Number(deployment.createdAt),
    endedAt: seconds(deployment.completedAt),
    stages,
    approvable: stages.filter((stage) => stage.approvable),
  };
}

/** A rollback stage is a promise until it starts; shown earlier it would look like a plan. */
function isShown(stage: PipelineStage): boolean {
  return !stage.rollback || stage.status !== StageStatus.STAGE_NOT_STARTED_YET;
}

/** The wire tells when a stage was planned and when it ended: it began when what it follows had ended. */
function startOf(stage: PipelineStage, all: PipelineStage[]): number | undefined {
  const before = stage.rollback
    ? all.filter((each) => !each.rollback && each.status !== StageStatus.STAGE_NOT_STARTED_YET)
    : all.filter((each) => stage.requires.includes(each.id));
  const known = [stage.createdAt, ...before.map((each) => each.completedAt)].filter((time) => time > 0n);
  return known.length > 0 ? Math.max(...known.map(Number)) : undefined;
}

function stageView(stage: PipelineStage, startedAt: number | undefined, over: boolean) {
  const started = stage.status !== StageStatus.STAGE_NOT_STARTED_YET;
  const isWaiting = !started && !over && stage.statusReason !== "";
  return {
    id: stage.id,
    name: stage.name,
    description: stage.desc,
    word: isWaiting ? ("Waiting" as const) : stageWord(stage.status),
    reason: stage.statusReason,
    requires: stage.requires,
    rollback: stage.rollback,
    retries: stage.retriedCount,
    started,
    running: stage.status === StageStatus.STAGE_RUNNING,
    failed: stage.status === StageStatus.STAGE_FAILURE,
    startedAt,
    endedAt: seconds(stage.completedAt),
    approvable:
      stage.status === StageStatus.STAGE_RUNNING && stage.availableOperation === ManualOperation.APPROVE,
    approvers: stage.authorizedOperators,
    notes: stageNotes(stage.metadata),
  };
}

const displayKey = "pipecd/stage-display-metadata";
const approvedKeys = ["pipecd/stage-approved-users", "ApprovedBy"];

/** What a stage itself wants people to see, and who approved it. */
function stageNotes(metadata: Record<string, string>): [name: string, value: string][] {
  const notes: [string, string][] = [];
  const approved = approvedKeys.map((key) => metadata[key]).find((value) => value);
  if (approved) notes.push(["Approved by", approved]);
  const shown = metadata[displayKey];
  if (!shown) return notes;
  try {
    const parsed: unknown = JSON.parse(shown);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) {
      return [...notes, ...Object.entries(parsed).map(([k, v]) => [k, String(v)] as [string, string])];
    }
  } catch {
    // not JSON: shown as the stage wrote it
  }
  return [...notes, ["Note", shown]];
}

/** The stage a person most likely wants to see: what runs, else what failed, else what ran last. */
export function stageOfInterest(stages: StageView[]): StageView | undefined {
  const started = stages.filter((stage) => stage.started);
  return (
    started.findLast((stage) => stage.running) ??
    started.find((stage) => stage.failed) ??
    started.at(-1) ??
    stages[0]
  );
}

/** Statuses a list can be narrowed to, as they stand in the address. */
export const statusChoices = Object.entries(deploymentWords).map(([number, word]) => ({
  value: word.toLowerCase().replace(" ", "-"),
  label: word,
  status: Number(number) as DeploymentStatus,
}));

export function statusOf(value: string | undefined): DeploymentStatus | undefined {
  return statusChoices.find((choice) => choice.value === value)?.status;
}

function triggerText(commander: string): string {
  if (!commander) return "New commit";
  // A program orders with an API key, of which only the id is known here.
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(commander)
    ? `API key ${commander.slice(0, 8)}`
    : `Ordered by ${commander}`;
}

function strategyText(strategy: SyncStrategy): string {
  switch (strategy) {
    case SyncStrategy.QUICK_SYNC:
      return "Quick sync";
    case SyncStrategy.PIPELINE:
      return "Pipeline";
    case SyncStrategy.AUTO:
      return "";
  }
}

function seconds(time: bigint): number | undefined {
  return time > 0n ? Number(time) : undefined;
}
