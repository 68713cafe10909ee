// SPDX-License-Identifier: Apache-2.0
import { Button, Center, Group, Select, Stack, Table, Text, Title } from "@mantine/core";
import { IconRocket } from "@tabler/icons-react";
import { CommitLabel } from "../../design/CommitLabel";
import { EmptyState } from "../../design/EmptyState";
import { ProblemNotice } from "../../design/Notice";
import { Outcome } from "../../design/Outcome";
import { Panel, SkeletonRows } from "../../design/Panel";
import { Elapsed, RelativeTime } from "../../design/RelativeTime";
import { TextLink } from "../../design/TextLink";
import { statusChoices, type DeploymentView } from "./deployment";
import { useApplicationChoices, useDeployments, type DeploymentChoice } from "./useDeployments";

type Props = { filter: DeploymentChoice; onFilter: (change: DeploymentChoice) => void };

export function DeploymentsPage({ filter, onFilter }: Props) {
  const { deployments, problem, onRetry, more, loadingMore, onMore } = useDeployments(filter);
  return (
    <Stack gap="lg">
      <title>Deployments · PipeCD</title>
      <Group justify="space-between">
        <Title order={1} size="h2">
          Deployments
        </Title>
        <Filters filter={filter} onFilter={onFilter} />
      </Group>
      {problem && <ProblemNotice problem={problem} onRetry={onRetry} />}
      {!problem && (
        <Panel flush>
          {!deployments && <SkeletonRows rows={8} label="Loading deployments" />}
          {deployments && deployments.length > 0 && <DeploymentTable deployments={deployments} />}
          {deployments?.length === 0 && <NoDeployments filter={filter} onFilter={onFilter} />}
          {more && (
            <Center p="md">
              <Button variant="default" loading={loadingMore} onClick={onMore}>
                Load more
              </Button>
            </Center>
          )}
        </Panel>
      )}
    </Stack>
  );
}

function Filters({ filter, onFilter }: Props) {
  const applications = useApplicationChoices();
  return (
    <Group gap="sm">
      <Select
        aria-label="Status"
        placeholder="Any status"
        clearable
        w={180}
        data={statusChoices.map(({ value, label }) => ({ value, label }))}
        value={filter.status ?? null}
        onChange={(status) => onFilter({ status: status ?? undefined })}
        clearButtonProps={{ "aria-label": "Clear the status filter" }}
      />
      <Select
        aria-label="Application"
        placeholder="Any application"
        data-page-search
        clearable
        searchable
        limit={100}
        w={240}
        nothingFoundMessage="No such application"
        data={applications}
        value={filter.application ?? null}
        onChange={(application) => onFilter({ application: application ?? undefined })}
        clearButtonProps={{ "aria-label": "Clear the application filter" }}
      />
    </Group>
  );
}

function NoDeployments({ filter, onFilter }: Props) {
  if (!filter.status && !filter.application) {
    return (
      <EmptyState icon={IconRocket} title="No deployments yet">
        Push a commit that changes an application, or press Sync on its page. The deployment appears here by
        itself.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={IconRocket} title="No deployment matches the filter">
      <Button variant="default" onClick={() => onFilter({ status: undefined, application: undefined })}>
        Clear the filter
      </Button>
    </EmptyState>
  );
}

function DeploymentTable({ deployments }: { deployments: DeploymentView[] }) {
  return (
    <Table.ScrollContainer minWidth={900}>
      <Table verticalSpacing="sm" horizontalSpacing="lg" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={200}>Status</Table.Th>
            <Table.Th w={170}>Application</Table.Th>
            <Table.Th>Commit</Table.Th>
            <Table.Th w={160}>Trigger</Table.Th>
            <Table.Th w={180}>Started</Table.Th>
            <Table.Th w={120}>Took</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {deployments.map((deployment) => (
            <DeploymentRow key={deployment.id} deployment={deployment} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function DeploymentRow({ deployment }: { deployment: DeploymentView }) {
  const { id, applicationName, commit, trigger, startedAt, endedAt } = deployment;
  return (
    <Table.Tr>
      <Table.Td>
        <Outcome word={deployment.word} outcome={deployment.outcome} />
      </Table.Td>
      <Table.Td>
        <TextLink
          to="/deployments/$deploymentId"
          params={{ deploymentId: id }}
          fw={600}
          aria-label={`Deployment ${id.slice(0, 8)} of ${applicationName}`}
        >
          {applicationName}
        </TextLink>
      </Table.Td>
      <Table.Td maw={320}>
        <CommitLabel {...commit} />
        <Text size="sm" c="dimmed">
          by {commit.author}
        </Text>
      </Table.Td>
      <Table.Td>{trigger}</Table.Td>
      <Table.Td>
        <RelativeTime at={startedAt} />
      </Table.Td>
      <Table.Td>
        <Elapsed from={startedAt} to={deployment.over ? (endedAt ?? startedAt) : undefined} />
      </Table.Td>
    </Table.Tr>
  );
}
