/*
 * A command over several runs: each is tried, side by side since ending one takes
 * its grace time, and told in the order in which they were named. One failure
 * makes the whole exit code 125. JSON gets one line per run.
 */
import type { CommandContext } from '../command.ts';
import { exitOk, exitOwnError } from '../exit-status.ts';
import { isReaderGone } from '../io/io.ts';
import { formatErrorJson, formatErrorText } from '../render/error-text.ts';
import { createPaint, isColoured } from '../render/paint.ts';
import { type Json, jsonLine } from '../render/run-json.ts';
import type { Run } from '../place/place.ts';
import { findRun, type RunLister } from './find-run.ts';

/* Each is a connection or two. */
const atOnceMax = 32;

export interface Told {
  readonly text: string;
  readonly json: Json;
}

export interface NamedRuns {
  readonly place: RunLister;
  readonly typed: readonly string[];
  /* A name means what lives of it. */
  readonly isLiving?: boolean;
}

export async function eachRun(
  context: Pick<CommandContext, 'io' | 'config' | 'isJson'>,
  { place, typed: all, isLiving = false }: NamedRuns,
  work: (run: Run) => Promise<Told>,
): Promise<number> {
  const { io, config } = context;
  const paint = createPaint(isColoured(config, io.stderr));
  let code = exitOk;
  const tell = async (typed: string, outcome: Promise<Told>): Promise<void> => {
    try {
      const told = await outcome;
      await io.stdout.write(context.isJson ? jsonLine(told.json) : `${told.text}\n`);
    } catch (error) {
      if (isReaderGone(error)) throw error;
      code = exitOwnError;
      await (context.isJson
        ? io.stdout.write(jsonLine({ typed, ...(formatErrorJson(error) as object) }))
        : io.stderr.write(formatErrorText(error, paint)));
    }
  };
  for (let at = 0; at < all.length; at += atOnceMax) {
    const some = all.slice(at, at + atOnceMax);
    const outcomes = some.map(async (typed) => work(await findRun(place, typed, { isLiving })));
    // All are heard below, one after the other.
    for (const outcome of outcomes) outcome.catch(() => {});
    for (const [index, typed] of some.entries()) {
      const outcome = outcomes[index];
      if (outcome !== undefined) await tell(typed, outcome);
    }
  }
  return code;
}
