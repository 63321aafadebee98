/*
 * The kinds of values that are about runs: which run, its name, its command line, its terminal.
 */
import type { Cursor } from '@clawdfather/supervisor';
import { usageError } from '../errors.ts';
import type { TerminalSize } from '../io/io.ts';
import { text, type TextKind } from './kinds.ts';
import { parseInteger } from './values.ts';

/* An id, a unique beginning of one, or a name; the registry knows which run it is. */
export const run: TextKind<string> = text('RUN', 'runs');
/* The same, where only a run that is alive makes sense. */
export const livingRun: TextKind<string> = text('RUN', 'living-runs');

export const approval: TextKind<string> = text('APPROVAL', 'approvals');

/* A program and its arguments, passed on as they are. */
export const commandLine: TextKind<string> = {
  ...text('COMMAND', 'program'),
  listPlaceholder: 'COMMAND [ARGUMENT …]',
};

export const runName: TextKind<string> = {
  placeholder: 'NAME',
  fromText: (label, typed) => {
    if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(typed)) return typed;
    throw usageError(
      `${label} is not a name: "${typed}"`,
      'Use letters, digits, dots, dashes and underscores, at most 63 of them.',
    );
  },
};

/* Only the journal can tell whether it leads anywhere. */
export const cursor: TextKind<Cursor> = {
  placeholder: 'CURSOR',
  fromText: (_label, typed) => typed as Cursor,
};

const cells = { min: 1, max: 1_000 };

export const terminalSize: TextKind<TerminalSize> = {
  placeholder: 'COLSxROWS',
  completes: ['80x24', '120x30'],
  fromText: (_label, typed) => {
    const match = /^(\d{1,4})[x×](\d{1,4})$/i.exec(typed);
    if (match === null) throw usageError(`"${typed}" is no size`, 'Write it like 100x30.');
    return {
      cols: parseInteger('the number of columns', match[1] ?? '', cells),
      rows: parseInteger('the number of rows', match[2] ?? '', cells),
    };
  },
};
