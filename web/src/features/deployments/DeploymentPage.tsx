// SPDX-License-Identifier: Apache-2.0
import { Breadcrumbs, Button, Code, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { lazy, Suspense } from "react";
import { CommitLabel } from "../../design/CommitLabel";
import { Facts } from "../../design/Facts";
import { Notice, ProblemNotice } from "../../design/Notice";
import { Outcome } from "../../design/Outcome";
import { Panel, SkeletonRows } from "../../design/Panel";
import { Elapsed, RelativeTime } from "../../design/RelativeTime";
import { TextLink } from "../../design/TextLink";
import { CancelMenu } from "./CancelMenu";
import { stageOfInterest, type DeploymentView, type StageView } from "./deployment";
import { StagePanel } from "./StagePanel";
import { useApprove, useCancel, useDeployment } from "./useDeployment";

const StageGraph = lazy(() => import("./StageGraph").then(({ StageGraph }) => ({ default: StageGraph })));

type Props = { id: string; stageId: string | undefined; onStage: (id: string) => void };

export function DeploymentPage({ id, stageId, onStage }: Props) {
  const { deployment, problem, onRetry } = useDeployment(id);
  const name = deployment?.applicationName;
  return (
    <Stack gap="lg">
      <title>{`${name ?? "Deployment"} ${deployment?.word ?? ""} · PipeCD`}</title>
      <Breadcrumbs fz="sm">
        <TextLink to="/deployments">Deployments</TextLink>
        <Text size="sm">{id.slice(0, 8)}</Text>
      </Breadcrumbs>
      {!deployment && (
        <Title order={1} size="h2">
          Deployment
        </Title>
      )}
      {problem && <ProblemNotice problem={problem} onRetry={onRetry} />}
      {!problem && !deployment && (
        <Panel>
          <SkeletonRows rows={8} label="Loading the deployment" />
        </Panel>
      )}
      {deployment && <Loaded deployment={deployment} stageId={stageId} onStage={onStage} />}
    </Stack>
  );
}

type LoadedProps = { deployment: DeploymentView; stageId: string | undefined; onStage: (id: string) => void };

function Loaded({ deployment, stageId, onStage }: LoadedProps) {
  const { id, stages } = deployment;
  const cancel = useCancel(id);
  const approve = useApprove(id);
  // Chosen by the person, else the one that matters now: so the page walks along with the deployment.
  const stage = stages.find((each) => each.id === stageId) ?? stageOfInterest(stages);
  return (
    <>
      <Group justify="space-between" align="flex-start">
        <Group gap="md">
          <Title order={1} size="h2">
            {deployment.applicationName}
          </Title>
          <Outcome word={deployment.word} outcome={deployment.outcome} />
        </Group>
        {!deployment.over && (
          <CancelMenu
            applicationName={deployment.applicationName}
            ordered={cancel.ordered}
            onCancel={cancel.onCancel}
          />
        )}
      </Group>
      {cancel.problem && <ProblemNotice problem={cancel.problem} />}
      {approve.problem && <ProblemNotice problem={approve.problem} />}
      {deployment.approvable.map((each) => (
        <Approval
          key={each.id}
          stage={each}
          ordered={approve.orderedFor === each.id}
          onApprove={() => approve.onApprove(each.id)}
        />
      ))}
      {deployment.reason && deployment.word !== "Success" && (
        <Notice tone={reasonTone(deployment)} title={deployment.reason.split("\n", 1)[0] ?? ""}>
          {deployment.reason.includes("\n") && <pre>{deployment.reason}</pre>}
        </Notice>
      )}
      <Summary deployment={deployment} />
      <Panel title="Stages" flush>
        {stages.length === 0 ? (
          <Text size="sm" c="dimmed" px="lg" pb="lg">
            {deployment.over ? "It ended before a stage was planned." : "The agent is planning the stages."}
          </Text>
        ) : (
          <Suspense fallback={<SkeletonRows rows={2} label="Drawing the stages" />}>
            <StageGraph stages={stages} selected={stage?.id} onSelect={onStage} />
          </Suspense>
        )}
      </Panel>
      {stage && <StagePanel deploymentId={id} stage={stage} />}
    </>
  );
}

function reasonTone({ word, outcome }: DeploymentView) {
  if (word === "Failure") return outcome === "Rolled back" ? "warn" : "bad";
  if (word === "Cancelled") return "quiet";
  return word === "Rolling back" ? "warn" : "active";
}

type ApprovalProps = { stage: StageView; ordered: boolean; onApprove: () => void };

function Approval({ stage, ordered, onApprove }: ApprovalProps) {
  return (
    <Notice tone="active" title={`${stage.name} waits for approval`} role="status">
      <Group justify="space-between" mt={4}>
        <Text size="sm">
          {stage.approvers.length > 0
            ? `May be approved by ${stage.approvers.join(", ")}.`
            : "Anyone who may deploy this application can approve it."}
        </Text>
        <Button leftSection={<IconCheck size={17} aria-hidden />} disabled={ordered} onClick={onApprove}>
          {ordered ? "Approval sent" : "Approve"}
        </Button>
      </Group>
    </Notice>
  );
}

function Summary({ deployment }: { deployment: DeploymentView }) {
  const { commit, startedAt, endedAt, over } = deployment;
  return (
    <Panel>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="xl" pt={6}>
        <Facts
          rows={[
            ["Commit", <CommitLabel key="commit" {...commit} />],
            ["Author", commit.author],
            ["Branch", commit.branch],
            ["Summary", deployment.summary],
          ]}
        />
        <Facts
          rows={[
            [
              "Application",
              <TextLink
                key="app"
                to="/applications/$applicationId"
                params={{ applicationId: deployment.applicationId }}
              >
                {deployment.applicationName}
              </TextLink>,
            ],
            ["Trigger", deployment.trigger],
            ["Strategy", deployment.strategy],
            ["Result", deployment.word === "Success" && deployment.reason],
          ]}
        />
        <Facts
          rows={[
            ["Started", <RelativeTime key="from" at={startedAt} />],
            ["Ended", endedAt !== undefined && <RelativeTime key="to" at={endedAt} />],
            [
              over ? "Took" : "So far",
              <Elapsed key="took" from={startedAt} to={over ? (endedAt ?? startedAt) : undefined} />,
            ],
            ["Id", <Code key="id">{deployment.id}</Code>],
          ]}
        />
      </SimpleGrid>
    </Panel>
  );
}
