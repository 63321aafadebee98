/*
 * `clf resize`: another size for a run's terminal; a terminal that is attached later sets its own.
 */
import { parseInteger } from '../args/values.ts';
import type { CommandContext } from '../command.ts';
import { usageError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import type { TerminalSize } from '../io/io.ts';
import { jsonLine } from '../render/run-json.ts';
import { findRun } from '../runs/find-run.ts';
import { attachLiving, noTerminal } from '../runs/type-into-run.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';

const cells = { min: 1, max: 1_000 };

export async function execute(context: CommandContext): Promise<ExitStatus> {
  const { args, io } = context;
  const [typed = '', sizeText = ''] = args.operands;
  const size = parseSize(sizeText);
  return withSupervisor(context, async (supervisor) => {
    const record = findRun(supervisor, typed);
    if (record.mode === 'child') throw noTerminal(record);
    await (await attachLiving(supervisor, record)).resize(size);
    if (context.isJson) await io.stdout.write(jsonLine({ id: record.runId, ...size }));
    return codeStatus(exitOk);
  });
}

export function parseSize(text: string): TerminalSize {
  const match = /^(\d{1,4})[x×](\d{1,4})$/i.exec(text);
  if (match === null) throw usageError(`"${text}" is no size`, 'Write it like 100x30.');
  return {
    cols: parseInteger('the number of columns', match[1] ?? '', cells),
    rows: parseInteger('the number of rows', match[2] ?? '', cells),
  };
}
