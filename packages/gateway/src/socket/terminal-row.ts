/*
 * A terminal's place in the row of terminals that are attached to a run (E8): only the first answers the program's
 * questions. Those behind it move up when one leaves; the shim notes each change in the journal, so it is exact from which
 * byte on another terminal answers.
 *
 * What lies before our own note is history, and no terminal answers it, whatever place we have.
 */
import { compareCursors, type TerminalRole } from '@clawdfather/supervisor';
import type { Note } from '../live/chunk.ts';

export interface TerminalRow {
  /* True: from this note on our terminal answers. Said once. */
  hear(note: Note): boolean;
}

export function createTerminalRow(role: Pick<TerminalRole, 'place' | 'cursor'>): TerminalRow {
  let { place } = role;
  let isThere = false;
  let hasAnswered = false;
  const arrived = (): boolean => {
    isThere = true;
    return place === 1;
  };
  const changed = (note: Note): boolean => {
    // Our own note may be lost in a gap.
    if (!isThere) return compareCursors(note.cursor, role.cursor) >= 0 && arrived();
    if (note.kind === 'attached' && note.left !== undefined && note.left < place) place -= 1;
    return place === 1;
  };
  return {
    hear: (note) => {
      if (hasAnswered || (note.kind !== 'attached' && note.kind !== 'gap')) return false;
      hasAnswered = changed(note);
      return hasAnswered;
    },
  };
}
