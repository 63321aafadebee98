/*
 * `clf send-keys`: keys by their names, as tmux calls them, into a run.
 */
import type { CallOf } from '../command.ts';
import { usageError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { withPlace } from '../place/open-place.ts';
import { jsonLine } from '../render/run-json.ts';
import { findRun } from '../runs/find-run.ts';
import { sendingTo } from '../runs/run-refusals.ts';
import type { sendKeysSpec } from './tool-specs.ts';

export async function execute(call: CallOf<typeof sendKeysSpec>): Promise<ExitStatus> {
  const { keys } = call.operands;
  const { literal, hex } = call.flags;
  if (keys.length === 0 && literal === undefined && hex.length === 0) {
    throw usageError('no keys are named', "Write: clf send-keys RUN C-c, or -l 'some text' Enter");
  }
  return withPlace(call, async (place) => {
    const run = await findRun(place, call.operands.run);
    const bytes = await sendingTo(run, place, place.sendKeys(run, { literal, hex, keys }));
    if (call.isJson) await call.io.stdout.write(jsonLine({ id: run.runId, bytes }));
    return codeStatus(exitOk);
  });
}
