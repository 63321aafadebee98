/*
 * `clf top`: on a terminal a screen that keeps itself up to date; elsewhere a table, or
 * with --json an object, for every look.
 */
import type { CallOf } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { withPlace } from '../place/open-place.ts';
import { formatInstant } from '../render/duration.ts';
import { jsonLine } from '../render/run-json.ts';
import { formatLook, lookJson } from '../top/format-look.ts';
import { lastingLook } from '../top/lasting-look.ts';
import { nothingText } from '../top/layout-screen.ts';
import { firstIntervalMs, type TopOptions, watchOnTerminal } from '../top/watch-on-terminal.ts';
import { createRunWatch } from '../top/watch-runs.ts';
import type { topSpec } from './specs.ts';

export async function execute(call: CallOf<typeof topSpec>): Promise<ExitStatus> {
  const { flags, io, config, clock } = call;
  return withPlace(call, async (place) => {
    const look = createRunWatch({ place, clock });
    const options = {
      context: call,
      look: flags.once ? look : lastingLook(look),
      nothing: nothingText(place),
      order: flags.sort ?? 'cpu',
      intervalMs: config.values['top.interval'],
    };
    return io.terminal === undefined || call.isJson || flags.once
      ? printLooks(options, flags.once)
      : watchOnTerminal(options, io.terminal);
  });
}

async function printLooks(
  { context, look, order, intervalMs, nothing }: TopOptions,
  isOnce: boolean,
): Promise<ExitStatus> {
  const { io, clock, paint } = context;
  // Only the second look can tell what is used per second.
  await look();
  await clock.sleep(firstIntervalMs);
  const view = { order, isReversed: false };
  let problem: string | undefined;
  for (;;) {
    const now = await look();
    if (now.problem !== problem) {
      problem = now.problem;
      // A closed stderr is no reason to stop.
      await io.stderr.write(`clf: ${problem ?? 'connected again'}\n`).catch(() => {});
    }
    if (problem !== undefined) {
      await clock.sleep(intervalMs);
      continue;
    }
    if (context.isJson) await io.stdout.write(jsonLine(lookJson(now, view)));
    else {
      const text = formatLook(now, { ...view, paint, columnsMax: io.columns() });
      const parts = [text.live, text.ended].filter(({ length }) => length > 0);
      const head = isOnce ? text.summary : `${formatInstant(now.atMs)}   ${text.summary}`;
      const isEmpty = parts.length === 0;
      const body = isEmpty
        ? `\n${nothing}\n`
        : parts.map((lines) => `\n${lines.join('\n')}\n`).join('');
      await io.stdout.write(`${head}\n${body}${isOnce ? '' : '\n'}`);
    }
    if (isOnce) return codeStatus(exitOk);
    await clock.sleep(intervalMs);
  }
}
