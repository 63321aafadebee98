/*
 * From a connection as it is stored to what a master needs: where to, as whom, with which keys, and what may be reached at all.
 */
import { networkInterfaces } from 'node:os';
import {
  type AddressPolicy,
  connectionKeysOf,
  type HostKey,
  type KeyCustody,
  keysToOffer,
  type Listener,
  type MasterRequest,
  memberKinds,
  ownerKinds,
  parseHostKey,
} from '@clawdfather/ssh';
import type { AccountId, Connection, Store } from '@clawdfather/store';

export interface HostTargetDeps {
  readonly store: Store;
  readonly custody: KeyCustody;
  readonly ownerId: AccountId;
  /* Where this gateway listens. */
  readonly ownListeners: () => readonly Listener[];
}

export type HostTarget = Pick<
  MasterRequest,
  'connectionId' | 'host' | 'port' | 'user' | 'policy' | 'pin' | 'keys'
>;

/* The owner's hosts may be anywhere but at our own port; a member's are never this machine. */
export function policyFor(
  { ownerId, ownListeners }: Pick<HostTargetDeps, 'ownerId' | 'ownListeners'>,
  accountId: AccountId,
): AddressPolicy {
  const isOwner = accountId === ownerId;
  const interfaces = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return {
    allowedKinds: isOwner ? ownerKinds : memberKinds,
    ownListeners: ownListeners(),
    ownAddresses: interfaces.map(({ address }) => address),
  };
}

/* `pin`: another one than the stored. Undefined when a key of it is not there any more. */
export async function targetOf(
  deps: HostTargetDeps,
  accountId: AccountId,
  connection: Connection,
): Promise<HostTarget | undefined> {
  const keys = await Promise.all(
    keysToOffer(connectionKeysOf(connection)).map(async (id) => {
      const keypair = await deps.store.forAccount(accountId).keypairs.get(id);
      if (keypair === undefined || keypair.status === 'revoked') return [];
      const open = (): Promise<Buffer | undefined> => deps.custody.open(accountId, id);
      return [{ id, publicKey: keypair.publicKey, open }];
    }),
  );
  if (keys.flat().length === 0) return undefined;
  const { id, host, port, username } = connection;
  return {
    connectionId: id,
    host,
    port,
    user: username,
    policy: policyFor(deps, accountId),
    pin: pinOf(connection),
    keys: keys.flat(),
  };
}

function pinOf({ pinKey }: Connection): HostKey | undefined {
  if (pinKey === undefined) return undefined;
  const reading = parseHostKey(pinKey);
  return reading.outcome === 'read' ? reading.key : undefined;
}
