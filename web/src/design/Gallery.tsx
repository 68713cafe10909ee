// SPDX-License-Identifier: Apache-2.0
import { Code, Container, Group, Stack, Title } from "@mantine/core";
import { IconApps } from "@tabler/icons-react";
import { CommitLabel } from "./CommitLabel";
import { EmptyState } from "./EmptyState";
import { Facts } from "./Facts";
import { Labels } from "./Labels";
import { Logo } from "./Logo";
import { Notice, ProblemNotice } from "./Notice";
import { Panel, SkeletonRows } from "./Panel";
import { Elapsed, RelativeTime } from "./RelativeTime";
import { statusWords, type Tone } from "./status";
import { StatusBadge } from "./StatusBadge";
import { TextLink } from "./TextLink";

const tones: Tone[] = ["ok", "active", "warn", "bad", "quiet"];
const problem = {
  title: "The control plane does not answer",
  message: "fetch failed",
  advice: "Check that it is running and reachable, then try again.",
  requestId: "0123456789abcdef",
};

/** Every part pages are made of, on one page, in both schemes. */
export function Gallery() {
  return (
    <Container component="main" py="xl">
      <Stack gap="lg">
        <Group>
          <Logo size={32} />
          <Title order={1}>Design</Title>
        </Group>
        <Panel title="Statuses">
          <Group gap="sm">
            {statusWords.map((word) => (
              <StatusBadge key={word} word={word} />
            ))}
          </Group>
        </Panel>
        {tones.map((tone) => (
          <Notice key={tone} tone={tone} title={`A notice in the tone “${tone}”`}>
            <pre>app.pipecd.yaml: 3:5: what it is about</pre>
          </Notice>
        ))}
        <ProblemNotice problem={problem} onRetry={() => undefined} />
        <Panel title="Facts">
          <Facts
            rows={[
              [
                "Commit",
                <CommitLabel key="c" hash="0123456789abcdef" title="Say hello" url="https://example.org" />,
              ],
              ["Labels", <Labels key="l" labels={{ team: "web", env: "demo" }} />],
              ["Started", <RelativeTime key="r" at={1_700_000_000} />],
              ["Took", <Elapsed key="e" from={0} to={3_700} />],
              ["Id", <Code key="i">a1b2c3d4</Code>],
              [
                "Link",
                <TextLink key="t" to="/applications">
                  Applications
                </TextLink>,
              ],
            ]}
          />
        </Panel>
        <Panel title="Nothing here">
          <EmptyState icon={IconApps} title="No applications yet">
            Why that is, and what would change it.
          </EmptyState>
        </Panel>
        <Panel title="On its way">
          <SkeletonRows rows={3} label="Loading" />
        </Panel>
      </Stack>
    </Container>
  );
}
