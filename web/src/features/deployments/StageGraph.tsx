// SPDX-License-Identifier: Apache-2.0
import { Fragment, useEffect, useMemo, useRef } from "react";
import { Elapsed } from "../../design/RelativeTime";
import { lookOf } from "../../design/status";
import { StatusIcon } from "../../design/StatusBadge";
import type { StageView } from "./deployment";
import { layOut, nodeSize } from "./graph";
import classes from "./StageGraph.module.css";

type Props = { stages: StageView[]; selected: string | undefined; onSelect: (id: string) => void };

/** The pipeline as it is walked: every stage a button, so that Tab and Enter are enough. */
export function StageGraph({ stages, selected, onSelect }: Props) {
  const { places, edges, width, height } = useMemo(() => layOut(stages), [stages]);
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const current = frame.current?.querySelector<HTMLElement>("[aria-pressed=true]");
    // A long pipeline scrolls along with the stage that runs.
    current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [selected]);

  return (
    <div ref={frame} className={classes.frame} role="group" aria-label="Stages">
      <div className={classes.sheet} style={{ width, height }}>
        <svg width={width} height={height} className={classes.edges} aria-hidden>
          <defs>
            <marker
              id="arrow"
              viewBox="0 0 8 8"
              refX="4"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M0,0 L8,4 L0,8 z" fill="var(--edge)" />
            </marker>
          </defs>
          {edges.map(({ id, path, rollback }) => (
            <path key={id} d={path} className={rollback ? classes.back : undefined} markerEnd="url(#arrow)" />
          ))}
        </svg>
        {places.map(({ stage, x, y }) => (
          <button
            key={stage.id}
            type="button"
            className={classes.stage}
            style={{ left: x, top: y, width: nodeSize.width, height: nodeSize.height }}
            aria-pressed={stage.id === selected}
            title={stage.description || stage.name}
            onClick={() => onSelect(stage.id)}
          >
            <span className={`${classes.icon} tone-${lookOf(stage.word).tone}`}>
              <StatusIcon word={stage.word} size={20} />
            </span>
            <span className={classes.text}>
              <span className={classes.name}>{breakable(stage.name)}</span>
              {stage.description && <span className={classes.note}>{stage.description}</span>}
              <span className={classes.state}>
                {stage.approvable ? "Needs approval" : stage.word}
                {stage.started && stage.startedAt !== undefined && (
                  <>
                    {" · "}
                    <Elapsed
                      from={stage.startedAt}
                      to={stage.running ? undefined : (stage.endedAt ?? stage.startedAt)}
                    />
                  </>
                )}
              </span>
            </span>
          </button>
        ))}
      </div>
    </div>
  );
}

/** SCRIPT_RUN_ROLLBACK may break after a line below, not within a word. */
function breakable(name: string) {
  return name.split(/(?<=_)/).map((part, index) => (
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
}
