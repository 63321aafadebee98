/*
 * What an agent means to do, as lines. It sends its whole plan each time; shown are all of its entries once, and then those that have changed.
 */
import { makeVisible } from '@clawdfather/tools/text';
import type { PlanEntry } from './thread-fact.ts';

/* A plan is for people; more than a screen of it says nothing. */
const entriesMax = 40;

const marks: ReadonlyMap<string, string> = new Map([
  ['completed', 'x'],
  ['in_progress', '>'],
]);

export class PlanLines {
  #shown: readonly PlanEntry[] = [];

  /* Empty: there is nothing new. */
  take(entries: readonly PlanEntry[]): readonly string[] {
    const before = this.#shown;
    this.#shown = entries;
    const isSame =
      before.length === entries.length &&
      entries.every(({ text }, index) => before[index]?.text === text);
    if (!isSame) return format(entries);
    return format(entries.filter(({ status }, index) => before[index]?.status !== status));
  }
}

function format(entries: readonly PlanEntry[]): readonly string[] {
  const lines = entries
    .slice(0, entriesMax)
    .map(({ text, status }) => `[${marks.get(status) ?? ' '}] ${makeVisible(text)}`);
  const more = entries.length - lines.length;
  return more > 0 ? [...lines, `… and ${more} more`] : lines;
}
