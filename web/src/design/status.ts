// SPDX-License-Identifier: Apache-2.0
import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconBan,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClock,
  IconClockX,
  IconHelpCircle,
  IconListCheck,
  IconLogout,
  IconPlayerSkipForward,
  IconProgress,
  IconReplace,
  type Icon,
} from "@tabler/icons-react";

export type Tone = "ok" | "active" | "bad" | "warn" | "quiet";

/** Every status the product knows, by the word people read. */
export type StatusWord = keyof typeof looks;

const looks = {
  Pending: { tone: "quiet", icon: IconClock },
  Planned: { tone: "active", icon: IconListCheck },
  Running: { tone: "active", icon: IconProgress },
  "Rolling back": { tone: "warn", icon: IconArrowBackUp },
  Success: { tone: "ok", icon: IconCircleCheck },
  Failure: { tone: "bad", icon: IconCircleX },
  Cancelled: { tone: "quiet", icon: IconBan },
  "Not started": { tone: "quiet", icon: IconCircleDashed },
  Waiting: { tone: "warn", icon: IconClock },
  Skipped: { tone: "quiet", icon: IconPlayerSkipForward },
  Exited: { tone: "quiet", icon: IconLogout },
  Synced: { tone: "ok", icon: IconCircleCheck },
  Deploying: { tone: "active", icon: IconProgress },
  "Out of sync": { tone: "warn", icon: IconReplace },
  "Invalid config": { tone: "bad", icon: IconAlertTriangle },
  Unknown: { tone: "quiet", icon: IconHelpCircle },
  Succeeded: { tone: "ok", icon: IconCircleCheck },
  "Rolled back": { tone: "warn", icon: IconArrowBackUp },
  "Partly rolled back": { tone: "bad", icon: IconAlertTriangle },
  "Rollback failed": { tone: "bad", icon: IconCircleX },
  Failed: { tone: "bad", icon: IconCircleX },
  "Timed out": { tone: "bad", icon: IconClockX },
  Superseded: { tone: "quiet", icon: IconReplace },
  Lost: { tone: "bad", icon: IconHelpCircle },
  Online: { tone: "ok", icon: IconCircleCheck },
  Offline: { tone: "bad", icon: IconCircleX },
  Healthy: { tone: "ok", icon: IconCircleCheck },
  "Not healthy": { tone: "warn", icon: IconAlertTriangle },
  Unhealthy: { tone: "bad", icon: IconCircleX },
  Well: { tone: "ok", icon: IconCircleCheck },
  "Not well": { tone: "bad", icon: IconAlertTriangle },
  Disabled: { tone: "quiet", icon: IconBan },
} satisfies Record<string, { tone: Tone; icon: Icon }>;

export function lookOf(word: StatusWord): { tone: Tone; icon: Icon } {
  return looks[word];
}

export const statusWords = Object.keys(looks) as StatusWord[];
