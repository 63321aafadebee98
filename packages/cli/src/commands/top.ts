/*
 * `clf top`: on a terminal a screen that keeps itself up to date; elsewhere a table, or
 * with --json an object, for every look.
 */
import { join } from 'node:path';
import type { CallOf } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { formatInstant } from '../render/duration.ts';
import { jsonLine } from '../render/run-json.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';
import { formatLook, lookJson } from '../top/format-look.ts';
import { nothingText } from '../top/layout-screen.ts';
import { createJournalLengths } from '../top/journal-length.ts';
import { readPageBytes, scanProcesses } from '../top/scan-processes.ts';
import { firstIntervalMs, type TopOptions, watchOnTerminal } from '../top/watch-on-terminal.ts';
import { createRunWatch } from '../top/watch-runs.ts';
import type { topSpec } from './specs.ts';

export async function execute(call: CallOf<typeof topSpec>): Promise<ExitStatus> {
  const { flags, io, config, clock } = call;
  return withSupervisor(call, async (supervisor) => {
    const look = createRunWatch({
      supervisor,
      clock,
      scan: () => scanProcesses(),
      journals: createJournalLengths(join(config.stateDir, 'runs')),
      pageBytes: readPageBytes(),
    });
    const options = {
      context: call,
      look,
      order: flags.sort ?? 'cpu',
      intervalMs: config.values['top.interval'],
    };
    return io.terminal === undefined || call.isJson || flags.once
      ? printLooks(options, flags.once)
      : watchOnTerminal(options, io.terminal);
  });
}

async function printLooks(
  { context, look, order, intervalMs }: TopOptions,
  isOnce: boolean,
): Promise<ExitStatus> {
  const { io, clock, paint } = context;
  // Only the second look can tell what is used per second.
  await look();
  await clock.sleep(firstIntervalMs);
  for (;;) {
    const now = await look();
    const view = { order, isReversed: false };
    if (context.isJson) await io.stdout.write(jsonLine(lookJson(now, view)));
    else {
      const text = formatLook(now, { ...view, paint, columnsMax: io.columns() });
      const parts = [text.live, text.ended].filter(({ length }) => length > 0);
      const head = isOnce ? text.summary : `${formatInstant(now.atMs)}   ${text.summary}`;
      const isEmpty = parts.length === 0;
      const body = isEmpty
        ? `\n${nothingText}\n`
        : parts.map((lines) => `\n${lines.join('\n')}\n`).join('');
      await io.stdout.write(`${head}\n${body}${isOnce ? '' : '\n'}`);
    }
    if (isOnce) return codeStatus(exitOk);
    await clock.sleep(intervalMs);
  }
}
