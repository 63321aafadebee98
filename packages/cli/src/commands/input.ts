/*
 * `clf input`: bytes into a run as they are, from the command line or from our input. No key is looked up and nothing is bracketed.
 */
import type { CallOf } from '../command.ts';
import { usageError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { withPlace } from '../place/open-place.ts';
import { jsonLine } from '../render/run-json.ts';
import { findRun } from '../runs/find-run.ts';
import { sendingTo } from '../runs/run-refusals.ts';
import type { inputSpec } from './tool-specs.ts';

export async function execute(call: CallOf<typeof inputSpec>): Promise<ExitStatus> {
  const { io, operands, flags } = call;
  const { text: given = '-' } = operands;
  if (given === '' && !flags.eof) throw usageError('there is nothing to send');
  return withPlace(call, async (place) => {
    const run = await findRun(place, operands.run);
    let bytes = 0;
    const send = async (chunk: Uint8Array): Promise<void> => {
      bytes += chunk.length;
      await sendingTo(run, place, place.sendInput(run, chunk, { isEof: false }));
    };
    // As it comes, at the pace of the run: what is piped into us may be large.
    if (given !== '-') await send(Buffer.from(given));
    else for await (const chunk of io.stdin.read(new AbortController().signal)) await send(chunk);
    if (flags.eof) await place.sendInput(run, new Uint8Array(0), { isEof: true });
    if (call.isJson) await io.stdout.write(jsonLine({ id: run.runId, bytes }));
    return codeStatus(exitOk);
  });
}
