// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "../../api/queries";

/** Who is logged in, and to which project. */
export function useSession() {
  const { data } = useQuery(sessionQuery);
  return { user: data?.subject ?? "", project: data?.projectId ?? "" };
}
