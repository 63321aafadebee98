/*
 * A command that could not be started, told as a shell would tell it.
 */
import { CodedError, hasCode } from '@clawdfather/kit';
import { constants } from 'node:os';
import { makeVisible } from '@clawdfather/tools/text';

export const otherDirectoryHint = 'Name another directory: --cwd DIR';

export interface Asked {
  readonly program: string;
  readonly cwd: string;
}

/* The same error in words about what was typed; any other error as it is. */
export function explainSpawnFailure(error: unknown, asked: Asked): Error {
  if (hasCode(error, 'input-invalid') && isTooMuch(error.detail['field'])) {
    const { code, message, detail } = error;
    const hint =
      'It is more than a run can be handed at its start; use a file, its input, or xargs.';
    return new CodedError(code, message, { detail, hint });
  }
  if (!hasCode(error, 'spawn-failed')) {
    return error instanceof Error ? error : new Error(String(error));
  }
  const told = explain(String(error.detail['stage']), Number(error.detail['errno']), asked);
  if (told === undefined) return error;
  const { message, hint } = told;
  return new CodedError(error.code, message, { detail: error.detail, hint, cause: error.cause });
}

/* Texts of a command line have no other faults by now: it has gone through the kernel once. */
function isTooMuch(field: unknown): boolean {
  return field === 'argv' || field === 'env';
}

function explain(
  stage: string,
  errno: number,
  { program, cwd }: Asked,
): { message: string; hint: string } | undefined {
  const name = makeVisible(program);
  const isMissing = errno === constants.errno.ENOENT;
  if (stage === 'cwd') {
    return {
      message: `cannot work in "${makeVisible(cwd)}": ${whyNot(errno)}`,
      hint: otherDirectoryHint,
    };
  }
  if (stage !== 'exec') return undefined;
  if (isMissing && !program.includes('/')) {
    return { message: `${name}: command not found`, hint: 'It was searched in PATH.' };
  }
  if (isMissing) {
    return { message: `${name}: no such file`, hint: 'Or the interpreter its first line names.' };
  }
  if (errno === constants.errno.EACCES) {
    return {
      message: `${name}: not executable`,
      hint: 'Is it a directory? Else allow it with chmod +x.',
    };
  }
  if (errno === constants.errno.ENOEXEC) {
    return {
      message: `${name}: not a program`,
      hint: `A script without a first line needs its shell: clf run -- sh ${name}`,
    };
  }
  return undefined;
}

function whyNot(errno: number): string {
  if (errno === constants.errno.ENOENT) return 'it does not exist';
  return errno === constants.errno.ENOTDIR ? 'it is not a directory' : 'no access';
}
