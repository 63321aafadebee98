/*
 * The log port: a line is an event name and fields, never free text.
 *
 * Output of commands, prompts and secrets do not belong here. Whatever does
 * get in is written as JSON, so a control character cannot forge a line or
 * drive a reader's terminal; DEL and the C1 range, which JSON
 * leaves alone, are escaped as well.
 */
import type { Clock } from './clock.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  /* Something happened, at level info. */
  event(name: string, fields?: LogFields): void;
  debug(name: string, fields?: LogFields): void;
  warn(name: string, fields?: LogFields): void;
  error(name: string, fields?: LogFields): void;
  /* A log whose every line carries these fields too. */
  child(fields: LogFields): Log;
}

export interface JsonLogOptions {
  /* Receives one whole line, newline included. */
  readonly write: (line: string) => void;
  readonly clock: Pick<Clock, 'wallMs'>;
  /* Lines below this level are dropped. */
  readonly levelMin?: LogLevel;
}

const levelOrder: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/* Causes can form a ring, and deeper ones help no reader. */
const causeDepthMax = 4;

export function createJsonLog(options: JsonLogOptions, bound: LogFields = {}): Log {
  const levelMin = levelOrder[options.levelMin ?? 'info'];
  const at =
    (level: LogLevel) =>
    (name: string, fields: LogFields = {}): void => {
      if (levelOrder[level] < levelMin) return;
      const time = new Date(options.clock.wallMs()).toISOString();
      options.write(formatLine({ ...bound, ...fields, time, level, event: name }));
    };
  return {
    event: at('info'),
    debug: at('debug'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => createJsonLog(options, { ...bound, ...fields }),
  };
}

export const silentLog: Log = {
  event: () => {},
  debug: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLog,
};

function formatLine(record: LogFields): string {
  const { time, level, event, ...fields } = record;
  const ordered = { time, level, event, ...fields };
  return `${escapeUnprintable(stringify(ordered))}\n`;
}

/* A log line must never throw into the code that reports: rings lose their fields. */
function stringify(record: LogFields): string {
  try {
    return JSON.stringify(record, replaceValue);
  } catch {
    const { time, level, event } = record;
    return JSON.stringify({ time, level, event, unserializable: true });
  }
}

function replaceValue(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Error) return describeError(value);
  return value;
}

/* What a log says of an error. `shorten` is for logs whose lines have a length. */
export function describeError(
  error: Error,
  shorten: (message: string) => string = (message) => message,
  depth = 0,
): LogFields {
  const cause =
    error.cause instanceof Error && depth < causeDepthMax
      ? describeError(error.cause, shorten, depth + 1)
      : undefined;
  const code = 'code' in error ? error.code : undefined;
  return { name: error.name, code, message: shorten(error.message), cause };
}

const unescaped = /[\u007f-\u009f\u2028\u2029]/;
const everyUnescaped = new RegExp(unescaped, 'g');

/* Characters that JSON does not escape, although terminals and line readers act on them. Few lines have any, so we test first. */
export function escapeUnprintable(json: string): string {
  if (!unescaped.test(json)) return json;
  return json.replace(
    everyUnescaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
