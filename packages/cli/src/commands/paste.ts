/*
 * `clf paste`: text into a run so that it cannot be taken for keys, from the command line or from our input.
 */
import type { CallOf } from '../command.ts';
import { usageError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { withPlace } from '../place/open-place.ts';
import { jsonLine } from '../render/run-json.ts';
import { findRun } from '../runs/find-run.ts';
import { readAllInput } from '../runs/read-all-input.ts';
import { sendingTo } from '../runs/run-refusals.ts';
import type { pasteSpec } from './tool-specs.ts';

export async function execute(call: CallOf<typeof pasteSpec>): Promise<ExitStatus> {
  const { io, operands } = call;
  const { text: given = '-' } = operands;
  const text = given === '-' ? await readAllInput(io) : given;
  if (text === '') throw usageError('there is nothing to paste');
  return withPlace(call, async (place) => {
    const run = await findRun(place, operands.run);
    const { bytes, isBracketed } = await sendingTo(run, place, place.paste(run, text));
    if (call.isJson) await io.stdout.write(jsonLine({ id: run.runId, bytes, isBracketed }));
    return codeStatus(exitOk);
  });
}
