/*
 * What stands around a list of approvals, in the same words on this machine and at a gateway.
 */
import { type CliError, usageError } from '../errors.ts';

export interface ApprovalPlace {
  /* For a sentence: `in /var/lib/clawdfather`, `at home`. */
  readonly name: string;
  /* What follows `clf COMMAND` to mean this place again. */
  readonly flag: string;
}

export function formatNone({ name, flag }: ApprovalPlace, isAll: boolean): string {
  return isAll
    ? `Nothing was ever asked ${name}.\n`
    : `Nothing waits for you ${name}. Earlier ones: clf approvals${flag} -a\n`;
}

export function formatFoot({ name, flag }: ApprovalPlace, isAll: boolean): string {
  return isAll
    ? `Of those that are over the command is kept, and no environment or input. All ${name}\n`
    : `clf allow${flag} ID, or clf deny${flag} ID. All ${name}\n`;
}

/* Nothing that was named is an agent's. */
export function optionElsewhere(): CliError {
  return usageError(
    '--option is for what an agent asks, and no agent asks this here',
    'See what waits: clf approvals. At another gateway: -g NAME.',
  );
}
