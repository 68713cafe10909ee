// SPDX-License-Identifier: Apache-2.0
import dagre from "@dagrejs/dagre";
import type { StageView } from "./deployment";

export const nodeSize = { width: 214, height: 80 };

type Place = { stage: StageView; x: number; y: number };
type Edge = { id: string; path: string; rollback: boolean };
export type StageLayout = { places: Place[]; edges: Edge[]; width: number; height: number };

/** Which stage follows which, from what each requires. */
export function links(stages: StageView[]): { from: string; to: string; rollback: boolean }[] {
  const known = new Set(stages.map((stage) => stage.id));
  const cause = causeOfRollback(stages);
  return stages.flatMap((stage) => {
    const requires = stage.requires.filter((id) => known.has(id));
    if (requires.length > 0)
      return requires.map((from) => ({ from, to: stage.id, rollback: stage.rollback }));
    return stage.rollback && cause ? [{ from: cause.id, to: stage.id, rollback: true }] : [];
  });
}

/** A rollback requires nothing by itself: it follows what went wrong, or what ran last. */
function causeOfRollback(stages: StageView[]): StageView | undefined {
  const forward = stages.filter((stage) => !stage.rollback && stage.started);
  return forward.findLast((stage) => stage.failed) ?? forward.at(-1);
}

export function layOut(stages: StageView[]): StageLayout {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", ranksep: 36, nodesep: 20, marginx: 4, marginy: 4 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const stage of stages) graph.setNode(stage.id, { ...nodeSize });
  const all = links(stages);
  for (const { from, to } of all) graph.setEdge(from, to);
  dagre.layout(graph);
  const places = stages.map((stage) => {
    const { x, y } = graph.node(stage.id);
    return { stage, x: x - nodeSize.width / 2, y: y - nodeSize.height / 2 };
  });
  const at = new Map(places.map((place) => [place.stage.id, place]));
  const edges = all.flatMap(({ from, to, rollback }) => {
    const [start, end] = [at.get(from), at.get(to)];
    return start && end ? [{ id: `${from}-${to}`, path: curve(start, end), rollback }] : [];
  });
  const { width = 0, height = 0 } = graph.graph();
  return { places, edges, width, height };
}

function curve(start: Place, end: Place): string {
  const [x1, y1] = [start.x + nodeSize.width, start.y + nodeSize.height / 2];
  const [x2, y2] = [end.x, end.y + nodeSize.height / 2];
  const middle = (x1 + x2) / 2;
  return `M${x1},${y1} C${middle},${y1} ${middle},${y2} ${x2 - 6},${y2}`;
}
