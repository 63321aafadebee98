/*
 * A decision about several requests. All are found before the first is decided, so a mistyped id changes nothing. Then each is tried:
 * what another person decided meanwhile is told, makes the exit code 125, and keeps the others from nothing.
 */
import type { CommandContext } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk, exitOwnError } from '../exit-status.ts';
import { isReaderGone } from '../io/io.ts';
import { formatErrorJson, formatErrorText } from '../render/error-text.ts';
import { createPaint, isColoured } from '../render/paint.ts';
import { jsonLine } from '../render/run-json.ts';

export async function eachApproval(
  { io, config, isJson }: CommandContext,
  ids: readonly string[],
  decide: (approvalId: string) => Promise<void>,
): Promise<ExitStatus> {
  const [only, ...others] = new Set(ids);
  if (only !== undefined && others.length === 0) {
    await decide(only);
    return codeStatus(exitOk);
  }
  const paint = createPaint(isColoured(config, io.stderr));
  let code = exitOk;
  for (const id of new Set(ids)) {
    try {
      await decide(id);
    } catch (error) {
      if (isReaderGone(error)) throw error;
      code = exitOwnError;
      await (isJson
        ? io.stdout.write(jsonLine({ typed: id, ...(formatErrorJson(error) as object) }))
        : io.stderr.write(formatErrorText(error, paint)));
    }
  }
  return codeStatus(code);
}
