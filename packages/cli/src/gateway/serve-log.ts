/*
 * The gateway's log on stderr: JSON lines for programs, and for a person at the terminal a sentence for each thing that matters
 * (event-text.ts). At the level debug the terminal gets everything.
 */
import { type Log, type LogFields, type LogLevel, silentLog } from '@clawdfather/kit';
import type { CommandContext } from '../command.ts';
import { createPaint, isColoured, type Paint } from '../render/paint.ts';
import { openJsonLog } from '../serve.ts';
import { formatEverything, formatEvent } from './event-text.ts';

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

export function createPrettyLog(options: PrettyLogOptions, bound: LogFields = {}): Log {
  const { write, clock, levelMin, paint } = options;
  const plain = (text: string): string => text;
  const painted: Readonly<Record<LogLevel, (text: string) => string>> = {
    debug: paint.dim,
    info: plain,
    warn: paint.warn,
    error: paint.bad,
  };
  const at =
    (level: LogLevel) =>
    (name: string, own: LogFields = {}): void => {
      if (levelOrder[level] < levelOrder[levelMin]) return;
      const event = { level, name, fields: { ...bound, ...own } };
      const text = levelMin === 'debug' ? formatEverything(event) : formatEvent(event);
      if (text === undefined) return;
      const time = new Date(clock.wallMs()).toISOString().slice(11, 19);
      write(`${paint.dim(time)} ${painted[level](text)}\n`);
    };
  return {
    event: at('info'),
    debug: at('debug'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => createPrettyLog(options, { ...bound, ...fields }),
  };
}
