// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  ApplicationSchema,
  ApplicationSyncStatus,
  type Application,
} from "../src/api/gen/model/application_pb";
import {
  ApplicationLiveStateSnapshotSchema,
  type ApplicationLiveStateSnapshot,
} from "../src/api/gen/model/application_live_state_pb";
import { CommandSchema, CommandStatus, type Command } from "../src/api/gen/model/command_pb";
import {
  DeploymentSchema,
  DeploymentStatus,
  ManualOperation,
  PipelineStageSchema,
  StageStatus,
  type Deployment,
} from "../src/api/gen/model/deployment_pb";
import { LogBlockSchema, LogSeverity, type LogBlock } from "../src/api/gen/model/logblock_pb";

import { Piped_ConnectionStatus, PipedSchema, type Piped } from "../src/api/gen/model/piped_pb";
import {
  GetPipedHealthResponseSchema,
  PartSchema,
  type GetPipedHealthResponse,
} from "../src/api/gen/pipecd/health/v1/health_pb";

export type Change = { kind: string; id: string; stage?: string };

/** What a control plane knows, in memory, moved by the tests; every move is a numbered change. */
export class FakeControlPlane {
  readonly applications = new Map<string, Application>();
  readonly liveStates = new Map<string, ApplicationLiveStateSnapshot>();
  readonly deployments = new Map<string, Deployment>();
  readonly logs = new Map<string, LogBlock[]>();
  readonly commands = new Map<string, Command>();
  readonly pipeds = new Map<string, Piped>();
  readonly health = new Map<string, GetPipedHealthResponse>();
  linesGiven = 0;
  readonly changes: { cursor: number; change: Change }[] = [];
  onChange: () => void = () => undefined;
  /** A log line, or a report of what runs, is only told to who listens at the moment; it is not numbered. */
  onLogLine: (change: Change) => void = () => undefined;
  onLiveStateWanted: (applicationId: string) => void = () => undefined;
  onOrder: (command: Command) => void = () => undefined;
  private cursor = 100;
  private made = 0;

  get head() {
    return this.cursor;
  }

  addApplication(name: string, more: MessageInitShape<typeof ApplicationSchema> = {}): string {
    const id = this.newId();
    const application = create(ApplicationSchema, {
      id,
      name,
      pipedId: "piped-1",
      gitPath: {
        repo: { id: "demo", remote: "/srv/demo.git", branch: "main" },
        path: name,
        configFilename: "app.pipecd.yaml",
      },
      syncState: { status: ApplicationSyncStatus.SYNCED, timestamp: now() },
      createdAt: now(),
      updatedAt: now(),
      ...(more as object),
    });
    this.applications.set(id, application);
    this.changed({ kind: "application", id });
    return id;
  }

  /** What runs, as of that moment; told to who listens, and not numbered. */
  reportLiveState(
    applicationId: string,
    more: MessageInitShape<typeof ApplicationLiveStateSnapshotSchema>,
    at = now(),
  ) {
    this.liveStates.set(
      applicationId,
      create(ApplicationLiveStateSnapshotSchema, {
        applicationId,
        version: { timestamp: at },
        ...(more as object),
      }),
    );
    this.onLogLine({ kind: "live-state", id: applicationId });
  }

  /** An agent that is heard, and what it tells of itself. */
  addPiped(name: string, parts: MessageInitShape<typeof PartSchema>[]): string {
    const id = this.newId();
    const status = Piped_ConnectionStatus.ONLINE;
    const piped = { id, name, status, version: "v1.2.3", startedAt: now() };
    this.pipeds.set(id, create(PipedSchema, { ...piped, plugins: [{ name: "wait" }] }));
    this.health.set(id, create(GetPipedHealthResponseSchema, { toldAt: now(), parts }));
    this.changed({ kind: "piped", id });
    return id;
  }

  /** A new commit: a deployment of the given stages, of which a name may be followed by `!` for approval. */
  commit(applicationId: string, message: string, stages: string[], author = "Ann Example"): string {
    const application = this.applications.get(applicationId);
    if (!application) throw new Error(`no application ${applicationId}`);
    const id = this.newId();
    const hash = id.replaceAll("-", "").padEnd(40, "0");
    const trigger = {
      commit: { hash, message, author, branch: "main", createdAt: now() },
      timestamp: now(),
    };
    const deployment = create(DeploymentSchema, {
      id,
      applicationId,
      applicationName: application.name,
      pipedId: "piped-1",
      gitPath: application.gitPath as never,
      trigger,
      summary: `Sync with the pipeline: ${stages.length} stages`,
      status: DeploymentStatus.DEPLOYMENT_RUNNING,
      stages: stages.map((name, index) =>
        create(PipelineStageSchema, {
          id: `${id}-${index}`,
          name: name.replace(/[!~]$/, ""),
          index,
          desc: name.startsWith("SCRIPT") ? "Check and publish the page" : "",
          requires: index === 0 || name.endsWith("~") ? [] : [`${id}-${index - 1}`],
          rollback: name.endsWith("~"),
          availableOperation: name.endsWith("!") ? ManualOperation.APPROVE : ManualOperation.NONE,
        }),
      ),
      createdAt: now(),
      updatedAt: now(),
    });
    this.deployments.set(id, deployment);
    application.mostRecentlyTriggeredDeployment = create(ApplicationSchema, {
      mostRecentlyTriggeredDeployment: { deploymentId: id, trigger, startedAt: now() },
    }).mostRecentlyTriggeredDeployment as never;
    if (application.syncState) application.syncState.status = ApplicationSyncStatus.DEPLOYING;
    this.changed({ kind: "deployment", id });
    this.changed({ kind: "application", id: applicationId });
    return id;
  }

  stage(deploymentId: string, index: number, status: StageStatus, reason = "") {
    const stage = this.deployment(deploymentId).stages[index];
    if (!stage) throw new Error(`no stage ${index}`);
    stage.status = status;
    stage.statusReason = reason;
    if (status === StageStatus.STAGE_RUNNING) stage.createdAt = now();
    if (status > StageStatus.STAGE_RUNNING) stage.completedAt = now();
    this.changed({ kind: "deployment", id: deploymentId });
    return stage.id;
  }

  finish(deploymentId: string, status: DeploymentStatus, outcome: string, reason = "") {
    const deployment = this.deployment(deploymentId);
    deployment.status = status;
    deployment.statusReason = reason;
    deployment.completedAt = now();
    deployment.metadataV2 = create(DeploymentSchema, {
      metadataV2: { shared: { keyValues: { "pipecd/outcome": outcome } } },
    }).metadataV2 as never;
    const application = this.applications.get(deployment.applicationId);
    if (application?.syncState) application.syncState.status = ApplicationSyncStatus.SYNCED;
    this.changed({ kind: "deployment", id: deploymentId });
    this.changed({ kind: "application", id: deployment.applicationId });
  }

  rollingBack(deploymentId: string) {
    this.deployment(deploymentId).status = DeploymentStatus.DEPLOYMENT_ROLLING_BACK;
    this.changed({ kind: "deployment", id: deploymentId });
  }

  write(deploymentId: string, index: number, lines: string[], severity = LogSeverity.INFO) {
    const stage = this.deployment(deploymentId).stages[index];
    if (!stage) throw new Error(`no stage ${index}`);
    const blocks = this.logs.get(stage.id) ?? [];
    for (const log of lines) {
      blocks.push(create(LogBlockSchema, { index: BigInt(blocks.length), log, severity, createdAt: now() }));
    }
    this.logs.set(stage.id, blocks);
    this.onLogLine({ kind: "stage-log", id: deploymentId, stage: stage.id });
  }

  order(type: Command["type"], what: MessageInitShape<typeof CommandSchema>): string {
    const id = this.newId();
    const command = create(CommandSchema, {
      id,
      type,
      pipedId: "piped-1",
      createdAt: now(),
      updatedAt: now(),
      ...what,
    });
    this.commands.set(id, command);
    this.onOrder(command);
    return id;
  }

  handled(
    commandId: string,
    metadata: Record<string, string> = {},
    status = CommandStatus.COMMAND_SUCCEEDED,
  ) {
    const command = this.commands.get(commandId);
    if (!command) throw new Error(`no command ${commandId}`);
    command.status = status;
    command.metadata = metadata;
    this.changed({ kind: "command", id: commandId });
  }

  deployment(id: string): Deployment {
    const found = this.deployments.get(id);
    if (!found) throw new Error(`no deployment ${id}`);
    return found;
  }

  changed(change: Change) {
    this.changes.push({ cursor: ++this.cursor, change });
    this.onChange();
  }

  private newId(): string {
    this.made++;
    return `${(0xa1b20000 + this.made * 7919).toString(16)}-0000-4000-8000-${String(this.made).padStart(12, "0")}`;
  }
}

export function now(): bigint {
  return BigInt(Math.floor(Date.now() / 1000));
}
