// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { problemOf } from "../../api/problem";
import { liveStateQuery } from "../../api/queries";
import { liveStateView } from "./liveState";

const freshMs = 10_000; // so lately reported, the control plane asks for nothing newer
const patienceMs = 15_000; // most plugins look within seconds; a report that comes later is shown all the same

/** What runs, and the wish for a newer look: answered by a report of another time than the one shown. */
export function useLiveState(applicationId: string) {
  const { data, error, refetch } = useQuery({ ...liveStateQuery(applicationId), select: liveStateView });
  const [wish, setWish] = useState<{ at: number; over: boolean }>();

  useEffect(() => {
    if (!wish || wish.over) return undefined;
    const timer = setTimeout(() => setWish({ ...wish, over: true }), patienceMs);
    return () => clearTimeout(timer);
  }, [wish]);

  const open = wish !== undefined && wish.at === data?.at;
  return {
    state: data,
    problem: data ? undefined : problemOf(error),
    looking: open && !wish.over,
    unanswered: open && wish.over,
    onRefresh: () => {
      if (data && Date.now() - data.at * 1000 >= freshMs) setWish({ at: data.at, over: false });
      void refetch();
    },
  };
}
