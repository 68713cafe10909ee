// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { problemOf } from "../../api/problem";
import { applicationsQuery } from "../../api/queries";
import { applicationList } from "./application";

export function useApplications() {
  const { data, error, refetch } = useQuery({ ...applicationsQuery, select: applicationList });
  return { applications: data, problem: data ? undefined : problemOf(error), onRetry: () => void refetch() };
}
