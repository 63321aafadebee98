/*
 * Sends a message, whole or in pieces. Each piece is a write of its own that the kernel has before the next begins; no
 * other message of the agent gets between them, but a gate or a line on stderr may stand there.
 */
import { formatLine } from './messages.ts';
import type { Play } from './play.ts';
import type { Cut } from './script.ts';

export async function sendInPieces(
  { station, ended }: Play,
  message: object,
  cuts: readonly Cut[] = [],
): Promise<void> {
  const line = formatLine(message);
  await station.output.hold(async (write) => {
    let from = 0;
    for (const { at, gate, stderr } of cuts) {
      const to = at < 0 ? line.length + at : at;
      if (to <= from || to >= line.length)
        throw new Error(`a line of ${line.length} bytes cannot be cut at ${at} after ${from}`);
      await write(line.subarray(from, to));
      from = to;
      if (stderr !== undefined) await station.stderr(stderr);
      /* A cancelled turn still finishes the line it is in. */
      if (gate !== undefined) await station.passGate(gate, ended);
    }
    await write(line.subarray(from));
  });
}
