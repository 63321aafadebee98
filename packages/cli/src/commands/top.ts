/*
 * `clf top`: on a terminal a screen that keeps itself up to date; elsewhere a table, or
 * with --json an object, for every look.
 */
import { join } from 'node:path';
import { parseChoice } from '../args/values.ts';
import type { CommandContext } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { formatInstant } from '../render/duration.ts';
import { jsonLine } from '../render/run-json.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';
import { formatLook, lookJson } from '../top/format-look.ts';
import { nothingText } from '../top/layout-screen.ts';
import { createJournalLengths } from '../top/journal-length.ts';
import { readPageBytes, scanProcesses } from '../top/scan-processes.ts';
import { sortOrders } from '../top/sort-rows.ts';
import { firstIntervalMs, type TopOptions, watchOnTerminal } from '../top/watch-on-terminal.ts';
import { createRunWatch } from '../top/watch-runs.ts';

export async function execute(context: CommandContext): Promise<ExitStatus> {
  const { args, io, config, clock } = context;
  const order = parseChoice('--sort', args.value('sort') ?? 'cpu', sortOrders);
  return withSupervisor(context, async (supervisor) => {
    const look = createRunWatch({
      supervisor,
      clock,
      scan: () => scanProcesses(),
      journals: createJournalLengths(join(config.stateDir, 'runs')),
      pageBytes: readPageBytes(),
    });
    const options = { context, look, order, intervalMs: config.values['top.interval'] };
    const isScreen = io.terminal !== undefined && !context.isJson && !args.has('once');
    return isScreen && io.terminal !== undefined
      ? watchOnTerminal(options, io.terminal)
      : printLooks(options);
  });
}

async function printLooks({ context, look, order, intervalMs }: TopOptions): Promise<ExitStatus> {
  const { io, clock, args, paint } = context;
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
      const head = args.has('once') ? text.summary : `${formatInstant(now.atMs)}   ${text.summary}`;
      const isEmpty = parts.length === 0;
      const body = isEmpty
        ? `\n${nothingText}\n`
        : parts.map((lines) => `\n${lines.join('\n')}\n`).join('');
      await io.stdout.write(`${head}\n${body}${args.has('once') ? '' : '\n'}`);
    }
    if (args.has('once')) return codeStatus(exitOk);
    await clock.sleep(intervalMs);
  }
}
