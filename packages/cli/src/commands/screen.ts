/*
 * `clf screen`: what a person in front of a run's terminal would see, and its cursor.
 */
import type { CallOf } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { withPlace } from '../place/open-place.ts';
import { jsonLine } from '../render/run-json.ts';
import { findRun, shortId } from '../runs/find-run.ts';
import type { screenSpec } from './tool-specs.ts';

export async function execute(call: CallOf<typeof screenSpec>): Promise<ExitStatus> {
  const { io, flags, operands } = call;
  return withPlace(call, async (place) => {
    const run = await findRun(place, operands.run);
    const { runId: id, ...screen } = await place.screen(run);
    const { cols, rows, lines, cursor, title, isAlternate, isRunning } = screen;
    if (call.isJson) {
      await io.stdout.write(jsonLine({ id, ...screen }));
      return codeStatus(exitOk);
    }
    await io.stdout.write(`${lines.join('\n').trimEnd()}\n`);
    if (flags.quiet) return codeStatus(exitOk);
    const facts = [
      `${cols}×${rows}`,
      // Counted from 1, as terminals and editors do; JSON has indexes.
      `cursor at row ${cursor.row + 1}, column ${cursor.column + 1}${cursor.isVisible ? '' : ' (hidden)'}`,
      ...(title === '' ? [] : [`"${title}"`]),
      ...(isAlternate ? ['full-screen'] : []),
      ...(isRunning ? [] : ['ended']),
    ];
    await io.stderr.write(`[clf: run ${shortId(run)}, ${facts.join(', ')}]\n`);
    return codeStatus(exitOk);
  });
}
