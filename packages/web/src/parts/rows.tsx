/*
 * A list of things that can be opened, and the groups that lists are in.
 */
import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';

export function Group({
  title,
  count,
  children,
}: {
  readonly title: string;
  readonly count?: number;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="group">
      <h2>
        {title}
        {count !== undefined && <span class="quiet">{count}</span>}
      </h2>
      <ul class="rows">{children}</ul>
    </section>
  );
}

export interface RowProps {
  readonly what: ComponentChildren;
  readonly facts?: ComponentChildren;
  readonly before?: ComponentChildren;
  readonly after?: ComponentChildren;
  /* Absent: there is nothing to open. */
  readonly to?: string;
}

export function Row({ what, facts, before, after, to }: RowProps) {
  const inside = (
    <>
      {before ?? <span />}
      <span>
        <span class="what">{what}</span>
        {facts !== undefined && <span class="facts">{facts}</span>}
      </span>
      {after ?? <span />}
    </>
  );
  return (
    <li>
      {to === undefined ? (
        <div class="row">{inside}</div>
      ) : (
        <Link class="row" href={to}>
          {inside}
        </Link>
      )}
    </li>
  );
}

export type Mood = 'working' | 'waiting' | 'good' | 'bad' | 'plain';

export function Badge({
  mood,
  children,
}: {
  readonly mood: Mood;
  readonly children: ComponentChildren;
}) {
  return <span class={`badge ${mood}`}>{children}</span>;
}

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children}
    </div>
  );
}
