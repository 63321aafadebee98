/*
 * What the agent means to do, as a list of what is done and what is not.
 */
import type { Facts } from '../facts.ts';
import { isFacts, textOf, wordOf } from '../facts.ts';
import { formatForReader } from '../../text/reader-text.ts';

const words: Readonly<Record<string, string>> = {
  completed: 'done',
  in_progress: 'under way',
  pending: 'to do',
};

export function PlanView({ plan }: { readonly plan: Facts }) {
  const entries = entriesOf(plan);
  const done = entries.filter(({ status }) => status === 'completed').length;
  return (
    <section class="fold plan" aria-label="Plan">
      <h2>
        Plan · {done} of {entries.length} done
      </h2>
      <ul>
        {entries.slice(0, entriesMax).map(({ text, status }, index) => (
          <li key={index} class={status}>
            <span class="mark" aria-hidden="true" />
            <span>
              {formatForReader(text)}
              <span class="only-read-aloud"> ({words[status] ?? status})</span>
            </span>
          </li>
        ))}
      </ul>
      {entries.length > entriesMax && <p class="quiet">and {entries.length - entriesMax} more</p>}
    </section>
  );
}

const entriesMax = 100;

export interface PlanEntry {
  readonly text: string;
  readonly status: string;
}

export function entriesOf({ entries }: Facts): readonly PlanEntry[] {
  if (!Array.isArray(entries)) return [];
  return entries.filter(isFacts).map(({ content, status }) => ({
    text: textOf(content).slice(0, 2_000),
    status: wordOf(status) ?? 'pending',
  }));
}
