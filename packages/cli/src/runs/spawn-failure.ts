/*
 * A command that could not be started, told as a shell would tell it.
 */
import { CodedError, hasCode } from '@clawdfather/kit';
import { constants } from 'node:os';
import { type AskedProgram, explainStart, type StartFailure } from '@clawdfather/supervisor';
import { makeVisible } from '@clawdfather/tools/text';

export const otherDirectoryHint = 'Name another directory: --cwd DIR';

/* The same error in words about what was typed; any other error as it is. */
export function explainSpawnFailure(error: unknown, asked: AskedProgram): Error {
  if (hasCode(error, 'input-invalid') && isTooMuch(error.detail['field'])) {
    const { code, message, detail } = error;
    const hint =
      'It is more than a run can be handed at its start; use a file, its input, or xargs.';
    return new CodedError(code, message, { detail, hint });
  }
  if (!hasCode(error, 'spawn-failed')) {
    return error instanceof Error ? error : new Error(String(error));
  }
  const failure = { stage: String(error.detail['stage']), errno: Number(error.detail['errno']) };
  const message = explainStart(failure, asked);
  if (message === undefined) return error;
  const hint = hintForStart(failure, asked.program);
  const parts = { detail: error.detail, cause: error.cause };
  return new CodedError(
    error.code,
    makeVisible(message),
    hint === undefined ? parts : { ...parts, hint },
  );
}

/* Texts of a command line have no other faults by now: it has gone through the kernel once. */
function isTooMuch(field: unknown): boolean {
  return field === 'argv' || field === 'env';
}

/* What to do about it, after what was said about the file. */
export function hintForStart({ stage, errno }: StartFailure, program: string): string | undefined {
  if (stage === 'cwd') return otherDirectoryHint;
  switch (errno) {
    case constants.errno.ENOENT:
      return program.includes('/') ? undefined : 'It was searched in PATH.';
    case constants.errno.EACCES:
      return 'Name a program, or allow it with chmod +x.';
    case constants.errno.ENOEXEC:
      return `A script without a first line needs its shell: clf run -- sh ${makeVisible(program)}`;
    default:
      return undefined;
  }
}
