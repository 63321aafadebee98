/*
 * A command over several runs: each is tried, each failure is told at once, and
 * one failure makes the whole exit code 125. JSON gets one line per run.
 */
import type { RunRecord } from '@clawdfather/supervisor';
import type { CommandContext } from '../command.ts';
import { exitOk, exitOwnError } from '../exit-status.ts';
import { formatErrorJson, formatErrorText } from '../render/error-text.ts';
import { createPaint } from '../render/paint.ts';
import { type Json, jsonLine } from '../render/run-json.ts';
import { findRun, type RunLister } from './find-run.ts';

export interface Told {
  readonly text: string;
  readonly json: Json;
}

export async function eachRun(
  context: CommandContext,
  supervisor: RunLister,
  work: (record: RunRecord) => Promise<Told>,
): Promise<number> {
  const { io, args, config } = context;
  const isColoured = config.isColourAllowed && !args.has('no-color');
  const paint = createPaint(io.stderr.isTerminal && isColoured);
  let code = exitOk;
  for (const typed of args.operands) {
    try {
      const told = await work(findRun(supervisor, typed));
      await io.stdout.write(context.isJson ? jsonLine(told.json) : `${told.text}\n`);
    } catch (error) {
      code = exitOwnError;
      await (context.isJson
        ? io.stdout.write(jsonLine({ typed, ...(formatErrorJson(error) as object) }))
        : io.stderr.write(formatErrorText(error, paint)));
    }
  }
  return code;
}
