/*
 * A state directory that cannot be opened, told with its name and the two ways to
 * choose another one.
 */
import { CodedError } from '@clawdfather/kit';
import { CliError } from '../errors.ts';
import { isSystemError } from '../render/error-text.ts';

const advice = 'Name another place with CLAWDFATHER_STATE_DIR or --state-dir.';

/* The same error in words about the directory; any other error as it is. */
export async function explainOpenFailure(error: unknown, stateDir: string): Promise<unknown> {
  const refused = await diskRefusal(error, stateDir);
  if (refused !== undefined) return refused;
  if (isSystemError(error)) {
    return new CliError('state-dir-unusable', `the state directory ${stateDir} cannot be used`, {
      cause: error,
      hint: `The directory must exist, or you must be able to create it. ${advice}`,
      detail: { stateDir },
    });
  }
  const isAboutDirectory =
    error instanceof CodedError &&
    (error.code === 'state-dir-unsafe' || error.code === 'state-on-network-fs');
  if (!isAboutDirectory) return error;
  const { code, message, detail, hint = '' } = error;
  return new CodedError(code, message, { detail, hint: `It is ${stateDir}. ${advice} ${hint}` });
}

/* The control database lies there too, and has errors of its own. */
async function diskRefusal(error: unknown, stateDir: string): Promise<unknown> {
  const { diskRefusalOf } = await import('@clawdfather/supervisor');
  try {
    return diskRefusalOf(error, stateDir);
  } catch {
    // There is no such directory to look at.
    return undefined;
  }
}
