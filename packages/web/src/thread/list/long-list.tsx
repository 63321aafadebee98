/*
 * A list of any length, read from its end: what is older comes when the reader comes near to the beginning, and a pill leads back to
 * what was added meanwhile. How it keeps still is in long-list-control.ts.
 */
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app-context.ts';
import { EndPill } from './end-pill.tsx';
import { LongListControl } from './long-list-control.ts';
import type { ListedRow } from './list-model.ts';

export interface LongListProps<Row extends ListedRow> {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly draw: (row: Row) => VNode;
  /* The number of the newest event. */
  readonly newest: number;
  readonly hasOlder: boolean;
  readonly onOlder: () => void;
  readonly onFollow?: (follows: boolean) => void;
  /* A row to go to; another object is another wish. */
  readonly goal?: { readonly key: string } | undefined;
  /* Grows when the reader has said something, and wants to see it. */
  readonly toEnd?: number;
  /* What stands at the end. */
  readonly children?: ComponentChildren;
}

export function LongList<Row extends ListedRow>(props: LongListProps<Row>) {
  const { rows, draw, newest, hasOlder, name, goal, toEnd = 0, children } = props;
  const { control, follows, refs } = useControl(props);
  const seen = useRef(newest);
  const { from, to } = control.take(rows, hasOlder);
  useLayoutEffect(() => {
    control.place();
    if (control.showsEnd) seen.current = newest;
  });
  useEffect(() => {
    if (goal !== undefined) control.goTo(goal.key);
  }, [control, goal]);
  useEffect(() => {
    if (toEnd > 0) control.goToEnd();
  }, [control, toEnd]);
  const missed = newest - seen.current;
  return (
    <div class="followed">
      <div
        class="scroller conversation"
        ref={refs.scroller}
        tabIndex={0}
        role="region"
        aria-label={name}
      >
        <ol class="stretch" ref={refs.stretch}>
          {hasOlder && from === 0 && (
            <li class="older" role="presentation">
              Loading what is older …
            </li>
          )}
          {rows.slice(from, to).map((row) => (
            <WatchedRow key={row.key} control={control} row={row}>
              {draw(row)}
            </WatchedRow>
          ))}
        </ol>
        <div ref={refs.below} />
        <div class="tail" ref={refs.tail}>
          {children}
        </div>
      </div>
      {!follows && (
        <EndPill
          scroller={refs.scroller}
          tail={refs.tail}
          missed={missed}
          onTap={() => control.goToEnd()}
        />
      )}
    </div>
  );
}

function useControl<Row extends ListedRow>(props: LongListProps<Row>) {
  const { clock } = useApp();
  const [follows, setFollows] = useState(true);
  const [, setRound] = useState(0);
  const asked = useRef(props);
  asked.current = props;
  const refs = {
    scroller: useRef<HTMLDivElement>(null),
    stretch: useRef<HTMLOListElement>(null),
    below: useRef<HTMLDivElement>(null),
    tail: useRef<HTMLDivElement>(null),
  };
  const control = useMemo(
    () =>
      new LongListControl<Row>({
        clock,
        onRange: () => setRound((round) => round + 1),
        onNearTop: () => asked.current.onOlder(),
        onFollow: (next) => {
          setFollows(next);
          asked.current.onFollow?.(next);
        },
      }),
    [clock],
  );
  useLayoutEffect(() => {
    const { scroller, stretch, below, tail } = refs;
    if (!scroller.current || !stretch.current || !below.current || !tail.current) return;
    control.open({
      scroller: scroller.current,
      stretch: stretch.current,
      below: below.current,
      tail: tail.current,
    });
    return () => control.close();
  }, [control]);
  return { control, follows, refs };
}

function WatchedRow<Row extends ListedRow>({
  control,
  row,
  children,
}: {
  readonly control: LongListControl<Row>;
  readonly row: Row;
  readonly children: ComponentChildren;
}) {
  const item = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    const element = item.current;
    if (element === null) return;
    control.watch(element);
    return () => control.unwatch(element);
  }, [control]);
  return (
    <li ref={item} data-key={row.key} class={row.isJoined === true ? 'joined' : undefined}>
      {children}
    </li>
  );
}
