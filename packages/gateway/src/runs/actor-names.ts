/*
 * What people call those who started or ended a run: `device:ID` says nothing to somebody who knows the device by its name. A person sees the
 * names of the account's own devices and tokens; a token may be an agent's and sees none.
 */
import type { Store } from '@clawdfather/store';
import type { RunRecord } from '@clawdfather/supervisor';
import { requesterLabel } from '@clawdfather/supervisor/origins';
import { type Caller, isOfDevice, isOfToken } from '../http/caller.ts';

export function actorNames(
  store: Store,
  caller: Caller,
  { labels, exit }: RunRecord,
): Promise<Readonly<Record<string, string>>> {
  const actors = [labels[requesterLabel], exit?.actor, exit?.treeEnd?.actor];
  return namesForCaller(store, caller, actors);
}

export async function namesForCaller(
  store: Store,
  { kind, accountId }: Caller,
  all: readonly (string | undefined)[],
): Promise<Readonly<Record<string, string>>> {
  const actors = all.filter(
    (actor) => actor !== undefined && (isOfDevice(actor) || isOfToken(actor)),
  );
  if (kind !== 'device' || actors.length === 0) return {};
  try {
    const named = await namesOfAccount(store.forAccount(accountId));
    return Object.fromEntries(
      actors.flatMap((actor = '') => {
        const name = named.get(actor);
        return name === undefined ? [] : [[actor, name]];
      }),
    );
  } catch {
    /* A database that does not answer keeps nobody from looking at a run. */
    return {};
  }
}

async function namesOfAccount({
  devices,
  apiTokens,
}: ReturnType<Store['forAccount']>): Promise<ReadonlyMap<string, string>> {
  const [signedIn, made] = await Promise.all([devices.list(), apiTokens.list()]);
  return new Map<string, string>([
    ...signedIn.map(({ id, device }) => [`device:${id}`, device] as const),
    ...made.map(({ id, label }) => [`token:${id}`, label] as const),
  ]);
}
