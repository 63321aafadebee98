/*
 * `clf send-keys`: keys by their names, as tmux calls them, into a run.
 */
import { encodeKeys, type KeyInput, type KeyModes } from '@clawdfather/tools/terminal';
import type { CallOf } from '../command.ts';
import { usageError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import { findRun } from '../runs/find-run.ts';
import { attachLiving, modesOf, typeInto } from '../runs/type-into-run.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';
import type { sendKeysSpec } from './tool-specs.ts';

export async function execute(call: CallOf<typeof sendKeysSpec>): Promise<ExitStatus> {
  const { io, clock, operands } = call;
  const { keys } = operands;
  const text = { literal: call.flags.literal, hex: call.flags.hex };
  if (keys.length === 0 && text.literal === undefined && text.hex.length === 0) {
    throw usageError('no keys are named', "Write: clf send-keys RUN C-c, or -l 'some text' Enter");
  }
  return withSupervisor(call, async (supervisor) => {
    const record = findRun(supervisor, operands.run);
    const run = await attachLiving(supervisor, record);
    const modes = await modesOf(run, record);
    const named = encode({ keys }, modes);
    // On pipes no line discipline makes a newline of what the Enter key sends.
    const pressed =
      record.mode === 'child' ? named.map((byte) => (byte === 13 ? 10 : byte)) : named;
    const bytes = Buffer.concat([encode(text, modes), pressed]);
    await typeInto(run, bytes, clock);
    if (call.isJson) {
      await io.stdout.write(jsonLine({ id: record.runId, bytes: bytes.length }));
    }
    return codeStatus(exitOk);
  });
}

function encode(input: KeyInput, modes: KeyModes): Uint8Array {
  const encoded = encodeKeys(input, modes);
  if (encoded.ok) return encoded.bytes;
  const { problem, suggestion } = encoded;
  const text = 'Text is typed with -l: clf send-keys RUN -l TEXT Enter';
  throw usageError(
    problem,
    suggestion === undefined ? text : `Did you mean ${suggestion}? ${text}`,
  );
}
