/*
 * `clf paste`: text into a run so that it cannot be taken for keys, from the command line or from our input.
 */
import { encodePaste } from '@clawdfather/tools/terminal';
import type { CallOf } from '../command.ts';
import { usageError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import { findRun } from '../runs/find-run.ts';
import { readAllInput } from '../runs/read-all-input.ts';
import { attachLiving, modesOf, typeInto } from '../runs/type-into-run.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';
import type { pasteSpec } from './tool-specs.ts';

export async function execute(call: CallOf<typeof pasteSpec>): Promise<ExitStatus> {
  const { io, clock } = call;
  const { run: typed, text: given = '-' } = call.operands;
  const text = given === '-' ? await readAllInput(io) : given;
  if (text === '') throw usageError('there is nothing to paste');
  return withSupervisor(call, async (supervisor) => {
    const record = findRun(supervisor, typed);
    const run = await attachLiving(supervisor, record);
    const { bracketedPaste: isBracketed } = await modesOf(run, record);
    const bytes = encodePaste(text, { isBracketed, isTerminal: record.mode !== 'child' });
    await typeInto(run, bytes, clock);
    if (call.isJson) {
      await io.stdout.write(jsonLine({ id: record.runId, bytes: bytes.length, isBracketed }));
    }
    return codeStatus(exitOk);
  });
}
