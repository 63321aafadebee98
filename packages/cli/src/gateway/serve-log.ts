/*
 * The gateway's log on stderr: JSON lines for programs, short lines for whoever sits in front of it.
 */
import { type Log, type LogFields, type LogLevel, silentLog } from '@clawdfather/kit';
import { makeVisible } from '@clawdfather/tools/text';
import type { CommandContext } from '../command.ts';
import { createPaint, isColoured, type Paint } from '../render/paint.ts';
import { openJsonLog } from '../serve.ts';

export interface ServeLog extends AsyncDisposable {
  readonly log: Log;
}

export async function openServeLog(
  context: Pick<CommandContext, 'clock' | 'io' | 'config'>,
): Promise<ServeLog> {
  const { clock, io, config } = context;
  const levelMin = config.logLevel ?? 'info';
  const chosen = config.values['gateway.log'];
  const kind = chosen === 'auto' ? (io.stderr.isTerminal ? 'pretty' : 'json') : chosen;
  if (kind === 'json') {
    return openJsonLog({ clock, levelMin, to: { fd: 2, stream: process.stderr } });
  }
  // A log that cannot be written is no reason to fail.
  const write = (line: string): void => void io.stderr.write(line).catch(() => {});
  const paint = createPaint(isColoured(config, io.stderr));
  const log = kind === 'off' ? silentLog : createPrettyLog({ clock, levelMin, write, paint });
  return { log, [Symbol.asyncDispose]: async () => {} };
}

interface PrettyLogOptions {
  readonly write: (line: string) => void;
  readonly clock: CommandContext['clock'];
  readonly levelMin: LogLevel;
  readonly paint: Paint;
}

const levelOrder: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
/* Of one field; the whole is in the JSON log. */
const valueCharactersMax = 120;

export function createPrettyLog(options: PrettyLogOptions, bound: LogFields = {}): Log {
  const { write, clock, levelMin, paint } = options;
  const painted: Readonly<Record<LogLevel, (text: string) => string>> = {
    debug: paint.dim,
    info: paint.strong,
    warn: paint.warn,
    error: paint.bad,
  };
  const at =
    (level: LogLevel) =>
    (name: string, fields: LogFields = {}): void => {
      if (levelOrder[level] < levelOrder[levelMin]) return;
      const time = new Date(clock.wallMs()).toISOString().slice(11, 19);
      const rest = Object.entries({ ...bound, ...fields })
        .flatMap(formatField)
        .join(' ');
      write(
        `${paint.dim(time)} ${painted[level](name)}${rest === '' ? '' : ` ${paint.dim(rest)}`}\n`,
      );
    };
  return {
    event: at('info'),
    debug: at('debug'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => createPrettyLog(options, { ...bound, ...fields }),
  };
}

/* A line at a terminal must not be able to drive it. */
function formatField([name, value]: readonly [string, unknown]): string[] {
  if (value === undefined || value === null) return [];
  const text = value instanceof Error ? value.message : textOf(value);
  return [`${name}=${makeVisible(text.slice(0, valueCharactersMax))}`];
}

function textOf(value: unknown): string {
  // Undefined for a function, say; nobody logs one.
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
