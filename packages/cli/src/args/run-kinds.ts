/*
 * The kinds of values that are about runs: which run, its name, its command line, its terminal.
 */
import type { Cursor } from '@clawdfather/supervisor';
import { usageError } from '../errors.ts';
import type { TerminalSize } from '../io/io.ts';
import { text, type TextKind } from './kinds.ts';
import { parseDurationMs, parseInteger } from './values.ts';

/* An id, a unique beginning of one, or a name; the registry knows which run it is. */
export const run: TextKind<string> = text('RUN', 'runs');
/* The same, where only a run that is alive makes sense. */
export const livingRun: TextKind<string> = text('RUN', 'living-runs');

export const approval: TextKind<string> = text('APPROVAL', 'approvals');
/* What was allowed for ever, by its id or a unique beginning of it. */
export const rule: TextKind<string> = text('RULE', 'rules');

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

/* Where output begins that is asked for: after a cursor, or at a time. */
export type OutputStart =
  | { readonly kind: 'cursor'; readonly cursor: Cursor }
  | { readonly kind: 'ago'; readonly ms: number }
  | { readonly kind: 'time'; readonly atMs: number };

export const outputStart: TextKind<OutputStart> = {
  placeholder: 'CURSOR|TIME',
  fromText: (label, typed) => {
    // A cursor has a dot in it. Only the journal can tell whether it leads anywhere.
    if (/^[0-9a-z]+\.[0-9a-z]+$/.test(typed)) return { kind: 'cursor', cursor: typed as Cursor };
    if (/^[0-9]+[a-z]/.test(typed)) return { kind: 'ago', ms: parseDurationMs(label, typed) };
    const atMs = Date.parse(typed);
    if (/^\d{4}-/.test(typed) && !Number.isNaN(atMs)) return { kind: 'time', atMs };
    throw usageError(
      `${label} is neither a cursor nor a time: "${typed}"`,
      'Write 10m or 1h30m for so long ago, a time like 2026-11-16T12:00, or a cursor of clf logs --cursor.',
    );
  },
};

const cells = { min: 1, max: 1_000 };

export const terminalSize: TextKind<TerminalSize> = {
  placeholder: 'COLSxROWS',
  completes: ['80x24', '120x30'],
  fromText: (label, typed) => {
    const match = /^(\d{1,4})[x×](\d{1,4})$/i.exec(typed);
    if (match === null) {
      throw usageError(`${label} is not COLSxROWS: "${typed}"`, 'Write it like 100x30.');
    }
    return {
      cols: parseInteger('the number of columns', match[1] ?? '', cells),
      rows: parseInteger('the number of rows', match[2] ?? '', cells),
    };
  },
};
