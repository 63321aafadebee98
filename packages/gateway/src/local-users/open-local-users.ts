/*
 * As whom the accounts of this gateway run on its machine (the rule is in tools, local-users.ts): the owner as the gateway does, a
 * member as the Unix user that the settings give it (`accounts.ID.runAs`), and a member without one not at all.
 *
 * The settings are checked once, at the start: a mistake in them keeps the gateway from starting, as any other mistake does.
 */
import type { AccountId } from '@clawdfather/store';
import type { HostUser } from '@clawdfather/supervisor';
import { machineAccounts } from '@clawdfather/supervisor/origins';
import { type LocalUsers, ToolsError } from '@clawdfather/tools';
import { GatewayError } from '../errors.ts';
import type { AccountConfig } from '../gateway-config.ts';
import { findHostUser, type FoundUser } from './find-host-user.ts';
import { openTemporaryDirectory, usualTemporaryRoot } from './temporary-directories.ts';

export interface LocalUsersInput {
  readonly ownerId: AccountId;
  readonly accounts: readonly AccountConfig[];
  readonly temporaryRoot?: string | undefined;
}

type AccountUser = Required<Pick<AccountConfig, 'id' | 'runAs'>> & { readonly runAs: string };

/* Throws `account-user-unusable`. */
export async function openLocalUsers(input: LocalUsersInput): Promise<LocalUsers> {
  const { ownerId, accounts, temporaryRoot = usualTemporaryRoot } = input;
  const users = new Map<string, FoundUser>();
  for (const { id, runAs } of accounts) {
    if (runAs === undefined) continue;
    const account = { id, runAs };
    const user = await userFor(account, ownerId);
    const namesake = [...users].find(([, { uid }]) => uid === user.uid);
    if (namesake !== undefined) {
      throw unusable(account, `is the user of ${settingOf(namesake[0])} too; each needs its own`);
    }
    users.set(account.id, user);
    openTemporaryDirectory(temporaryRoot, user);
  }
  return {
    of: (account): HostUser | undefined => {
      if (account === ownerId || machineAccounts.includes(account)) return undefined;
      const user = users.get(account);
      if (user === undefined) throw notLocal(account);
      return { ...user, temporaryDirectory: temporaryDirectoryOf(temporaryRoot, user) };
    },
  };
}

/* It was in order at the start; a request that finds it otherwise is told what is wrong. */
function temporaryDirectoryOf(temporaryRoot: string, user: FoundUser): string {
  try {
    return openTemporaryDirectory(temporaryRoot, user);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { detail, hint } = error;
    throw new ToolsError('account-not-local', error.message, {
      detail,
      ...(hint === undefined ? {} : { hint }),
      cause: error,
    });
  }
}

async function userFor(account: AccountUser, ownerId: AccountId): Promise<FoundUser> {
  if (account.id === ownerId) {
    throw unusable(account, 'is for another account than the owner’s, which runs as the gateway');
  }
  const user = await findHostUser(account.runAs);
  if (user === undefined) throw unusable(account, 'is no user of this machine');
  if (user.uid === 0) throw unusable(account, 'is root, who can do everything here');
  if (user.uid === process.getuid?.()) {
    throw unusable(account, 'is the user that the gateway runs as, whose files are the owner’s');
  }
  if (process.getuid?.() !== 0) {
    throw unusable(account, 'needs a gateway that runs as root: only root starts as another user');
  }
  return user;
}

function settingOf(accountId: string): string {
  return `accounts.${accountId}.runAs`;
}

function unusable({ id, runAs }: AccountUser, why: string): GatewayError {
  const setting = settingOf(id);
  return new GatewayError('account-user-unusable', `${setting}: ${JSON.stringify(runAs)} ${why}`, {
    detail: { setting, runAs },
    hint: `Make a user for this account alone (useradd --create-home NAME) and name it in ${setting}, or leave the setting out.`,
  });
}

function notLocal(account: string): ToolsError {
  const setting = settingOf(account);
  return new ToolsError(
    'account-not-local',
    'this account runs nothing on the gateway’s machine, which belongs to its owner',
    {
      detail: { account_id: account, setting },
      hint: `Ask the operator of this gateway for a Unix user of your own. The operator sets ${setting} to its name, on a gateway that runs as root, and starts it again.`,
    },
  );
}
