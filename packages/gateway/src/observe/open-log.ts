/*
 * The log: kit's port over pino, with the fields of docs/observability.md.
 *
 * Fields that a child log binds are kept as values and merged per line, not handed to pino's own children: those would write
 * a field twice that a line sets again, and readers disagree about which one counts.
 */
import type { Writable } from 'node:stream';
import type { Clock, Log, LogFields, LogLevel } from '@clawdfather/kit';
import { pino } from 'pino';
import { finishLine, levelNumbers, lineCharactersMax, shapeRecord } from './log-line.ts';
import { type LogOutput, openOutput } from './log-output.ts';

export interface LogOptions {
  readonly clock: Clock;
  /* Lines below this level are dropped. */
  readonly levelMin?: LogLevel;
  /* Standard output by default; never closed. */
  readonly to?: { readonly fd: number; readonly stream: Writable };
}

export interface OpenedLog extends AsyncDisposable {
  readonly log: Log;
  readonly close: () => Promise<void>;
}

export function openLog({ clock, levelMin = 'info', to }: LogOptions): OpenedLog {
  const output = openOutput(to ?? { fd: process.stdout.fd, stream: process.stdout }, {
    clock,
    formatDropped: (lines) => `${dropped(clock, lines)}\n`,
  });
  const close = (): Promise<void> => output.close();
  return { log: createLog({ clock, levelMin, output }), close, [Symbol.asyncDispose]: close };
}

interface LogDeps {
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly levelMin: LogLevel;
  readonly output: Pick<LogOutput, 'write'>;
}

export function createLog({ clock, levelMin, output }: LogDeps): Log {
  const lines = pino(
    {
      level: levelMin,
      base: null,
      timestamp: () => `,"timestamp":"${timeOf(clock)}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => output.write(finishLine(line)) },
  );
  const least = levelNumbers[levelMin];
  const bind = (bound: LogFields): Log => {
    const at =
      (level: LogLevel) =>
      (name: string, fields: LogFields = {}): void => {
        if (levelNumbers[level] < least) return;
        lines[level](limited(shapeRecord(name, bound, fields)));
      };
    return {
      event: at('info'),
      debug: at('debug'),
      warn: at('warn'),
      error: at('error'),
      child: (fields) => bind({ ...bound, ...fields }),
    };
  };
  return bind({});
}

/* LG3: sizes are looked at only where there is something that could be long. */
function limited(record: ReturnType<typeof shapeRecord>): object {
  for (const key in record.detail) {
    const value = record.detail[key];
    if (typeof value === 'object' && value !== null) return shortened(record);
    if (typeof value === 'string' && value.length > lineCharactersMax / 16)
      return shortened(record);
  }
  return record;
}

function shortened(record: ReturnType<typeof shapeRecord>): object {
  const characters = lengthOf(record.detail);
  if (characters !== undefined && characters <= lineCharactersMax) return record;
  return { ...record, detail: { removed: characters === undefined ? 'unreadable' : 'too long' } };
}

/* `undefined` for what is no JSON: a ring, or an object that throws when it is read. */
function lengthOf(value: unknown): number | undefined {
  try {
    return JSON.stringify(value).length;
  } catch {
    return undefined;
  }
}

function timeOf(clock: Pick<Clock, 'wallMs'>): string {
  return new Date(clock.wallMs()).toISOString();
}

function dropped(clock: Clock, lines: number): string {
  return JSON.stringify({
    level: 'warn',
    timestamp: timeOf(clock),
    ...shapeRecord('log.dropped', {}, { lines, message: 'whoever reads this log is too slow' }),
  });
}
