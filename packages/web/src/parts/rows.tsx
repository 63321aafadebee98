/*
 * A list of things that can be opened, and the groups that lists are in.
 */
import type { ComponentChildren } from 'preact';
import { Link, useLocation } from 'wouter-preact';

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
  /* A line below them: what it does now. */
  readonly more?: ComponentChildren;
  readonly before?: ComponentChildren;
  readonly after?: ComponentChildren;
  /* Beside what can be opened: a button of its own. */
  readonly beside?: ComponentChildren;
  /* Absent: there is nothing to open. */
  readonly to?: string;
}

export function Row({ what, facts, more, before, after, beside, to }: RowProps) {
  // In a wide window the list stands beside what is open.
  const [location] = useLocation();
  const inside = (
    <>
      {before}
      <span>
        <span class="what">{what}</span>
        {facts !== undefined && <span class="facts">{facts}</span>}
      </span>
      {after ?? <span />}
      {more !== undefined && <span class="facts more">{more}</span>}
    </>
  );
  const kind = before === undefined ? 'row begins-with-text' : 'row';
  const isOpen = location === to;
  const item = [beside && 'with-beside', isOpen && 'opened'].filter(Boolean).join(' ');
  return (
    <li class={item || undefined}>
      {to === undefined ? (
        <div class={kind}>{inside}</div>
      ) : (
        <Link class={kind} href={to} aria-current={isOpen ? 'page' : undefined}>
          {inside}
        </Link>
      )}
      {beside}
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
