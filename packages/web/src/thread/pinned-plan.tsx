/*
 * The newest plan in one line above the conversation, which opens to all of it: what the agent is at, wherever the reader is.
 */
import { useState } from 'preact/hooks';
import { formatForReader } from '../text/reader-text.ts';
import { entriesOf, PlanView } from './rows/plan-view.tsx';
import type { Row } from './rows/row.ts';

export function PinnedPlan({ rows }: { readonly rows: readonly Row[] }) {
  const [isOpen, setIsOpen] = useState(false);
  const row = newestPlan(rows);
  if (row === undefined) return null;
  const entries = entriesOf(row.block.plan);
  const done = entries.filter(({ status }) => status === 'completed').length;
  // What is done needs no place of its own.
  if (entries.length === 0 || done === entries.length) return null;
  const now = entries.find(({ status }) => status === 'in_progress') ?? entries[done];
  return (
    <div class="pinned-plan">
      <button type="button" class="line" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <span class="quiet">
          {done} of {entries.length}
        </span>
        <span class="what">{formatForReader(now?.text ?? '')}</span>
      </button>
      {isOpen && <PlanView plan={row.block.plan} />}
    </div>
  );
}

/* Of the turn that is at the end. */
function newestPlan(rows: readonly Row[]) {
  const turnId = rows.at(-1)?.turnId;
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const row = rows[index];
    if (row === undefined || row.turnId !== turnId || row.kind === 'end') return undefined;
    if (row.kind === 'plan') return row;
  }
  return undefined;
}
