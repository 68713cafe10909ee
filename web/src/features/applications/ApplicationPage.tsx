// SPDX-License-Identifier: Apache-2.0
import { Breadcrumbs, Code, CopyButton, Group, SimpleGrid, Stack, Table, Text, Title } from "@mantine/core";
import { Button } from "@mantine/core";
import { IconRocket } from "@tabler/icons-react";
import { CommitLabel } from "../../design/CommitLabel";
import { EmptyState } from "../../design/EmptyState";
import { Facts } from "../../design/Facts";
import { Labels } from "../../design/Labels";
import { Notice, ProblemNotice } from "../../design/Notice";
import { Outcome } from "../../design/Outcome";
import { Panel, SkeletonRows } from "../../design/Panel";
import { RelativeTime } from "../../design/RelativeTime";
import { StatusBadge } from "../../design/StatusBadge";
import { TextLink } from "../../design/TextLink";
import { whyInSync, type ApplicationView, type RecentDeployment } from "./application";
import { LiveStatePanel } from "./LiveStatePanel";
import { SyncButton, SyncNews } from "./SyncButton";
import { useApplication, useRecentDeployments, useSync } from "./useApplication";
import { useLiveState } from "./useLiveState";

export function ApplicationPage({ id }: { id: string }) {
  const { application, problem, onRetry } = useApplication(id);
  const recent = useRecentDeployments(id);
  const sync = useSync(id);
  const warnings = recent?.[0]?.warnings ?? "";

  return (
    <Stack gap="lg">
      <title>{`${application?.name ?? "Application"} · PipeCD`}</title>
      <Breadcrumbs fz="sm">
        <TextLink to="/applications">Applications</TextLink>
        <Text size="sm">{application?.name ?? "…"}</Text>
      </Breadcrumbs>
      {!application && (
        <Title order={1} size="h2">
          Application
        </Title>
      )}
      {problem && <ProblemNotice problem={problem} onRetry={onRetry} />}
      {!problem && !application && (
        <Panel>
          <SkeletonRows rows={5} label="Loading the application" />
        </Panel>
      )}
      {application && (
        <>
          <Group justify="space-between" align="flex-start">
            <Group gap="md">
              <Title order={1} size="h2">
                {application.name}
              </Title>
              <StatusBadge word={application.sync.word} />
            </Group>
            <SyncButton onSync={sync.onSync} busy={sync.ordering} disabled={application.disabled} />
          </Group>
          <SyncNews progress={sync.progress} problem={sync.problem} />
          <Standing application={application} />
          {warnings && (
            <Notice tone="warn" title="Notes on the configuration">
              <pre>{warnings}</pre>
            </Notice>
          )}
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <LatestDeployment application={application} />
            <Details application={application} />
          </SimpleGrid>
          <LiveState application={application} warnings={warnings} />
          <RecentDeployments applicationId={id} deployments={recent} />
        </>
      )}
    </Stack>
  );
}

/** What keeps the application from being deployed; an unreadable configuration is told in full. */
function Standing({ application: { sync, disabled, git } }: { application: ApplicationView }) {
  if (disabled) {
    return (
      <Notice tone="quiet" title="This application is disabled">
        <Text size="sm">New commits do not deploy it until it is enabled again.</Text>
      </Notice>
    );
  }
  if (sync.word !== "Invalid config") return null;
  return (
    <Notice tone="bad" title="The configuration cannot be read">
      <pre>{sync.reason || sync.shortReason}</pre>
      <Text size="sm" mt={6}>
        Correct <code>{`${git.path}/${git.configFile}`}</code> and push; the agent reads it again by itself.
      </Text>
    </Notice>
  );
}

/** A part of its own: only while it is drawn is the live state read. */
function LiveState({ application, warnings }: { application: ApplicationView; warnings: string }) {
  const live = useLiveState(application.id);
  return <LiveStatePanel sync={whyInSync(application.sync, warnings)} {...live} />;
}

function LatestDeployment({ application: { latest } }: { application: ApplicationView }) {
  return (
    <Panel title="Latest deployment">
      {latest ? (
        <Facts
          rows={[
            ["Commit", <CommitLabel key="commit" hash={latest.hash} title={latest.title} />],
            ["Author", latest.author],
            ["Started", <RelativeTime key="time" at={latest.startedAt} />],
            [
              "Deployment",
              <TextLink key="link" to="/deployments/$deploymentId" params={{ deploymentId: latest.id }}>
                {latest.id.slice(0, 8)}
              </TextLink>,
            ],
          ]}
        />
      ) : (
        <Text size="sm" c="dimmed">
          Not deployed yet. A commit that changes its folder, or the Sync button, starts the first deployment.
        </Text>
      )}
    </Panel>
  );
}

function Details({ application }: { application: ApplicationView }) {
  const { git, id } = application;
  return (
    <Panel title="Details">
      <Facts
        rows={[
          ["Description", application.description],
          [
            "Labels",
            Object.keys(application.labels).length > 0 && <Labels key="l" labels={application.labels} />,
          ],
          ["Repository", git.remote ? `${git.repo} (${git.remote})` : git.repo],
          ["Branch", git.branch],
          ["Configuration", <Code key="path">{`${git.path}/${git.configFile}`}</Code>],
          ["Targets", application.targets.join("; ")],
          ["Agent", <Code key="piped">{application.pipedId}</Code>],
          ["Application id", <CopyId key="id" id={id} />],
        ]}
      />
    </Panel>
  );
}

function CopyId({ id }: { id: string }) {
  return (
    <Group gap="xs">
      <Code>{id}</Code>
      <CopyButton value={id}>
        {({ copied, copy }) => (
          <Button size="compact-xs" variant="default" onClick={copy}>
            {copied ? "Copied" : "Copy"}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}

type RecentProps = { applicationId: string; deployments: RecentDeployment[] | undefined };

function RecentDeployments({ applicationId, deployments }: RecentProps) {
  const all = (
    <TextLink fz="sm" to="/deployments" search={{ application: applicationId }}>
      All of them
    </TextLink>
  );
  return (
    <Panel title="Recent deployments" aside={deployments && deployments.length > 0 && all} flush>
      {!deployments && <SkeletonRows rows={3} label="Loading deployments" />}
      {deployments?.length === 0 && (
        <EmptyState icon={IconRocket} title="No deployments yet">
          Push a commit that changes this application, or press Sync.
        </EmptyState>
      )}
      {deployments && deployments.length > 0 && (
        <Table verticalSpacing="sm" horizontalSpacing="lg">
          <Table.Tbody>
            {deployments.map(({ id, word, outcome, hash, title, at }) => (
              <Table.Tr key={id}>
                <Table.Td w={200}>
                  <Outcome word={word} outcome={outcome} />
                </Table.Td>
                <Table.Td maw={420}>
                  <CommitLabel hash={hash} title={title} />
                </Table.Td>
                <Table.Td w={190}>
                  <RelativeTime at={at} />
                </Table.Td>
                <Table.Td w={90}>
                  <TextLink to="/deployments/$deploymentId" params={{ deploymentId: id }}>
                    Open
                  </TextLink>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}
