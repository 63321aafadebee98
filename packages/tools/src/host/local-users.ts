/*
 * As whom the commands of an account run on this machine. This is the one rule about it: every way to a start asks it when the
 * command is asked for, and again at the start.
 *
 * A process of a user can do whatever that user can. So an account whose commands ran as our own user would have everything that
 * is ours: the state directory, the keys, the owner's sign-in. Only the accounts of the owner of the machine do; any other account
 * needs a Unix user of its own, and runs nothing here without one.
 *
 * The rule is about commands that callers ask for. A process that we start for an account, such as an ssh client, comes from
 * another host's port, and the rule does not apply to it.
 */
import type { HostUser } from '@clawdfather/supervisor';
import { machineAccounts } from '@clawdfather/supervisor/origins';
import { ToolsError } from '../errors.ts';

export interface LocalUsers {
  /* Undefined: as the user that we run as. Throws `account-not-local` for an account that runs nothing on this machine. */
  of(account: string): HostUser | undefined;
}

/* Of a program that serves this machine alone: accounts of a gateway are the gateway's. */
export const ownUserOnly: LocalUsers = {
  of: (account) => {
    if (machineAccounts.includes(account)) return undefined;
    throw new ToolsError('account-not-local', 'commands of a gateway’s account start there', {
      detail: { account },
      hint: 'The gateway starts what is allowed; clf status tells whether it runs.',
    });
  },
};
