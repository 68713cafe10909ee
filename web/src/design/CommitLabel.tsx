// SPDX-License-Identifier: Apache-2.0
import { Anchor, Code, Group, Text } from "@mantine/core";

type Commit = { hash: string; title: string; url?: string | undefined };

/** A commit as people know it: its first eight digits and its first line. */
export function CommitLabel({ hash, title, url }: Commit) {
  const short = <Code>{hash.slice(0, 8)}</Code>;
  const isWeb = url?.startsWith("https://") || url?.startsWith("http://"); // never a script address
  return (
    <Group gap={8} wrap="nowrap" miw={0}>
      {isWeb ? (
        <Anchor href={url} target="_blank" rel="noreferrer" aria-label={`Commit ${hash.slice(0, 8)}`}>
          {short}
        </Anchor>
      ) : (
        short
      )}
      <Text size="sm" truncate title={title}>
        {title}
      </Text>
    </Group>
  );
}
