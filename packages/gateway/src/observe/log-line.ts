/*
 * From an event and its fields to a line of the log: ten fields with fixed names, everything else in `detail`
 * (docs/observability.md).
 *
 * LG1 A line is one line. JSON escapes control characters; DEL, the C1 range and the two separators that some readers take for
 *     line ends are escaped as well.
 * LG2 A token of ours is never in a line, even if a caller passes one by mistake.
 * LG3 A line has a length. What would be longer loses its detail, not its names.
 */
import { describeError, escapeUnprintable, type LogFields, type LogLevel } from '@clawdfather/kit';

export interface LogRecord {
  readonly component: string;
  readonly event: string;
  readonly session_lease_id: string | null;
  readonly account_id: string | null;
  readonly connection_id: string | null;
  readonly trace_id: string | null;
  readonly message: string;
  readonly detail: LogFields;
}

/* More than any line of ours; half of what log shippers usually cut at. */
export const lineCharactersMax = 16_384;

/* Of one value: an ssh client's complaint fits, a page of output does not. */
const textCharactersMax = 4_096;

/* By what an event's name begins with. A line may say otherwise. */
const components: Readonly<Record<string, string>> = {
  api: 'api',
  ssh: 'ssh',
  session: 'session',
  cleanup: 'cleanup',
  auth: 'auth',
  run: 'run',
  exec: 'run',
  approval: 'run',
  terminal: 'run',
  spawnd: 'run',
  lease: 'run',
  registry: 'run',
  state: 'run',
  tools: 'run',
  socket: 'socket',
  mcp: 'mcp',
  agent: 'agent',
  thread: 'agent',
  turn: 'agent',
  ask: 'agent',
};

export function shapeRecord(event: string, bound: LogFields, fields: LogFields): LogRecord {
  const detail: Record<string, unknown> = {};
  const known: Record<string, unknown> = {};
  for (const source of [bound, fields]) {
    for (const key in source) {
      const value = source[key];
      if (value === undefined) continue;
      if (isStandard(key)) known[key] = value;
      else detail[key] = plainValue(value);
    }
  }
  return {
    component: textOf(known['component']) ?? componentOf(event),
    event,
    session_lease_id: textOf(known['session_lease_id']),
    account_id: textOf(known['account_id']),
    connection_id: textOf(known['connection_id']),
    trace_id: textOf(known['trace_id']),
    message: textOf(known['message']) ?? event,
    detail,
  };
}

function isStandard(key: string): boolean {
  switch (key) {
    case 'component':
    case 'session_lease_id':
    case 'account_id':
    case 'connection_id':
    case 'trace_id':
    case 'message':
      return true;
    default:
      return false;
  }
}

function componentOf(event: string): string {
  const end = event.search(/[.-]/);
  return components[end === -1 ? event : event.slice(0, end)] ?? 'gateway';
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function plainValue(value: unknown): unknown {
  if (typeof value === 'string') return shorten(value);
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Error) return describeError(value, shorten);
  return value;
}

function shorten(text: string): string {
  if (text.length <= textCharactersMax) return text;
  return `${text.slice(0, textCharactersMax)}… (${text.length} characters)`;
}

/* The shape of a token, not its exact length: a part of one is a secret as well. */
const tokens = /clf_[A-Za-z0-9_-]{8,}/g;

/* LG1, LG2. */
export function finishLine(json: string): string {
  return escapeUnprintable(json.includes('clf_') ? json.replace(tokens, 'clf_[removed]') : json);
}

export const levelNumbers: Readonly<Record<LogLevel, number>> = {
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
};
