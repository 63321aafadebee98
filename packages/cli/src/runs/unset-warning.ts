/*
 * `-e NAME` of a variable that is not set here passes nothing on. Nothing stops, as with docker, but it is said: the name may be
 * mistyped, or the variable not exported.
 */
import { type EnvAssignment, unsetNames } from '../args/kinds.ts';
import type { CommandContext } from '../command.ts';

export async function warnOfUnset(
  { io, config }: Pick<CommandContext, 'io' | 'config'>,
  assignments: readonly EnvAssignment[],
): Promise<void> {
  for (const name of unsetNames(assignments, config.commandEnv)) {
    const text = `clf: warning: ${name} is not set here, so -e ${name} passes nothing on; -e ${name}=VALUE sets it\n`;
    // A closed stderr is no reason to start nothing.
    await io.stderr.write(text).catch(() => {});
  }
}
