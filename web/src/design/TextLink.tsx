// SPDX-License-Identifier: Apache-2.0
import { Anchor, type AnchorProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { Ref } from "react";

function StyledAnchor({ ref, ...props }: Omit<AnchorProps, "href"> & { ref?: Ref<HTMLAnchorElement> }) {
  return <Anchor ref={ref ?? null} inherit {...props} />;
}

/** A link to another page of the app, checked against the routes. */
export const TextLink = createLink(StyledAnchor);
