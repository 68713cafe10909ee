// SPDX-License-Identifier: Apache-2.0
import { Button, Center, Group, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import { IconApps, IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { CommitLabel } from "../../design/CommitLabel";
import { EmptyState } from "../../design/EmptyState";
import { Labels } from "../../design/Labels";
import { ProblemNotice } from "../../design/Notice";
import { Panel, SkeletonRows } from "../../design/Panel";
import { RelativeTime } from "../../design/RelativeTime";
import { StatusBadge } from "../../design/StatusBadge";
import { TextLink } from "../../design/TextLink";
import { withName, type ApplicationView } from "./application";
import { useApplications } from "./useApplications";

const step = 100; // rows drawn at once; thousands would make typing in the filter slow

type Props = { name: string; onName: (name: string) => void };

export function ApplicationsPage({ name, onName }: Props) {
  const { applications, problem, onRetry } = useApplications();
  const [shown, setShown] = useState(step);
  const found = applications && withName(applications, name);

  return (
    <Stack gap="lg">
      <title>Applications · PipeCD</title>
      <Group justify="space-between">
        <Title order={1} size="h2">
          Applications
        </Title>
        <TextInput
          data-page-search
          aria-label="Filter by name"
          placeholder="Filter by name"
          title="Press / to type here"
          leftSection={<IconSearch size={16} aria-hidden />}
          w={280}
          value={name}
          onChange={(event) => onName(event.currentTarget.value)}
        />
      </Group>
      {problem && <ProblemNotice problem={problem} onRetry={onRetry} />}
      {!problem && (
        <Panel flush>
          {!found && <SkeletonRows rows={6} label="Loading applications" />}
          {found && found.length > 0 && <ApplicationTable applications={found.slice(0, shown)} />}
          {found && found.length > shown && (
            <Center p="md">
              <Button variant="default" onClick={() => setShown(shown + step)}>
                Show more ({found.length - shown} left)
              </Button>
            </Center>
          )}
          {found?.length === 0 && <NoApplications all={applications?.length ?? 0} name={name} />}
        </Panel>
      )}
    </Stack>
  );
}

function NoApplications({ all, name }: { all: number; name: string }) {
  if (all > 0) {
    return (
      <EmptyState icon={IconSearch} title={`No application is called “${name}”`}>
        {all === 1 ? "One application has" : `${all} applications have`} another name. Clear the filter to see
        them.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={IconApps} title="No applications yet">
      An application is a folder of a Git repository with an <code>app.pipecd.yaml</code> in it. Register one
      with <code>pipectl application add</code>; it appears here at once.
    </EmptyState>
  );
}

function ApplicationTable({ applications }: { applications: ApplicationView[] }) {
  return (
    <Table.ScrollContainer minWidth={820}>
      <Table verticalSpacing="sm" horizontalSpacing="lg" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="22%">Name</Table.Th>
            <Table.Th w="24%">Sync status</Table.Th>
            <Table.Th>Latest deployment</Table.Th>
            <Table.Th w={170}>Started</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {applications.map((application) => (
            <ApplicationRow key={application.id} application={application} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function ApplicationRow({ application }: { application: ApplicationView }) {
  const { id, name, labels, sync, latest } = application;
  return (
    <Table.Tr>
      <Table.Td>
        <Stack gap={6}>
          <TextLink to="/applications/$applicationId" params={{ applicationId: id }} fw={600}>
            {name}
          </TextLink>
          <Labels labels={labels} />
        </Stack>
      </Table.Td>
      <Table.Td>
        <StatusBadge word={sync.word} />
        {sync.shortReason && sync.word !== "Synced" && (
          <Text size="sm" c="dimmed" mt={4} lineClamp={2} title={sync.shortReason}>
            {sync.shortReason}
          </Text>
        )}
      </Table.Td>
      <Table.Td maw={360}>
        {latest ? (
          <Stack gap={2}>
            <CommitLabel hash={latest.hash} title={latest.title} />
            <Text size="sm" c="dimmed">
              by {latest.author} ·{" "}
              <TextLink
                underline="always"
                to="/deployments/$deploymentId"
                params={{ deploymentId: latest.id }}
              >
                open deployment
              </TextLink>
            </Text>
          </Stack>
        ) : (
          <Text size="sm" c="dimmed">
            Not deployed yet
          </Text>
        )}
      </Table.Td>
      <Table.Td>{latest && <RelativeTime at={latest.startedAt} />}</Table.Td>
    </Table.Tr>
  );
}
