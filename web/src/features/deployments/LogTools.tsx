// SPDX-License-Identifier: Apache-2.0
import { ActionIcon, Button, Group, Text, TextInput } from "@mantine/core";
import {
  IconArrowDown,
  IconArrowUp,
  IconDownload,
  IconArrowBarToDown,
  IconSearch,
} from "@tabler/icons-react";
import type { KeyboardEvent } from "react";

type Props = {
  words: string;
  onWords: (words: string) => void;
  hits: number;
  hit: number;
  onNext: () => void;
  onPrevious: () => void;
  following: boolean;
  onFollow: () => void;
  onDownload: () => void;
  count: number;
};

export function LogTools(props: Props) {
  const { words, hits, hit, following, count } = props;
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape") props.onWords("");
    if (event.key !== "Enter") return;
    event.preventDefault();
    if (event.shiftKey) props.onPrevious();
    else props.onNext();
  }
  return (
    <Group px="lg" pb="sm" gap="sm">
      <TextInput
        data-page-search
        size="xs"
        w={220}
        aria-label="Search in the log"
        placeholder="Search in the log"
        title="Enter: next, Shift + Enter: previous"
        leftSection={<IconSearch size={14} aria-hidden />}
        value={words}
        onChange={(event) => props.onWords(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {words && (
        <>
          <Text size="sm" c="dimmed" role="status">
            {hits === 0 ? "No match" : `${hit + 1} of ${hits}`}
          </Text>
          <ActionIcon size="sm" variant="default" aria-label="Previous match" onClick={props.onPrevious}>
            <IconArrowUp size={14} />
          </ActionIcon>
          <ActionIcon size="sm" variant="default" aria-label="Next match" onClick={props.onNext}>
            <IconArrowDown size={14} />
          </ActionIcon>
        </>
      )}
      <Group gap="sm" ml="auto">
        <Text size="sm" c="dimmed">
          {count === 1 ? "1 line" : `${count.toLocaleString("en")} lines`}
        </Text>
        <Button
          size="xs"
          variant={following ? "light" : "default"}
          leftSection={<IconArrowBarToDown size={14} aria-hidden />}
          aria-pressed={following}
          onClick={props.onFollow}
        >
          Follow
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
          disabled={count === 0}
          onClick={props.onDownload}
        >
          Download
        </Button>
      </Group>
    </Group>
  );
}
