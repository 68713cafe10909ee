// SPDX-License-Identifier: Apache-2.0
import { IconMapQuestion } from "@tabler/icons-react";
import { EmptyState } from "../design/EmptyState";
import { TextLink } from "../design/TextLink";

export function NotFoundPage() {
  return (
    <main>
      <EmptyState icon={IconMapQuestion} level={1} title="There is no such page">
        The address may be mistyped or from an older version. Go to the{" "}
        <TextLink underline="always" to="/applications">
          applications
        </TextLink>{" "}
        or the{" "}
        <TextLink underline="always" to="/deployments">
          deployments
        </TextLink>
        .
      </EmptyState>
    </main>
  );
}
