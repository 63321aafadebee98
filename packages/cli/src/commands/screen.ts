/*
 * `clf screen`: what a person in front of a run's terminal would see, and its cursor.
 */
import type { CallOf } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import { findRun, shortId } from '../runs/find-run.ts';
import { lookAt, noTerminal } from '../runs/type-into-run.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';
import type { screenSpec } from './tool-specs.ts';

export async function execute(call: CallOf<typeof screenSpec>): Promise<ExitStatus> {
  const { io } = call;
  return withSupervisor(call, async (supervisor) => {
    const record = findRun(supervisor, call.operands.run);
    if (record.mode === 'child') throw noTerminal(record);
    const { screen } = await lookAt(await supervisor.attach(record.runId));
    const { cols, rows, lines, cursor, title, isAlternate } = screen;
    const isRunning = record.exit === undefined;
    if (call.isJson) {
      const json = { id: record.runId, cols, rows, lines, cursor, title, isAlternate, isRunning };
      await io.stdout.write(jsonLine(json));
      return codeStatus(exitOk);
    }
    await io.stdout.write(`${lines.join('\n').trimEnd()}\n`);
    if (call.flags.quiet) return codeStatus(exitOk);
    const facts = [
      `${cols}×${rows}`,
      // Counted from 1, as terminals and editors do; JSON has indexes.
      `cursor at row ${cursor.row + 1}, column ${cursor.column + 1}${cursor.isVisible ? '' : ' (hidden)'}`,
      ...(title === '' ? [] : [`"${title}"`]),
      ...(isAlternate ? ['full-screen'] : []),
      ...(isRunning ? [] : ['ended']),
    ];
    await io.stderr.write(`[clf: run ${shortId(record)}, ${facts.join(', ')}]\n`);
    return codeStatus(exitOk);
  });
}
