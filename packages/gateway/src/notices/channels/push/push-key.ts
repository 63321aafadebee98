/*
 * The key that push services know us by: made once for a control database, at its first use, and sealed there as SSH keys are. Gateways that
 * share the database share it, so any of them can push to any device.
 *
 * A key that no master key opens is of no use to anybody. Then a new one takes its place, and each device subscribes anew at its next start.
 * That is so where no gateway has ever noted its master key, or the operator accepts its loss. A master key that is missing here alone may come
 * back, and another gateway may have it: until then nothing is pushed from here.
 */
import { hasCode, type Log, type Random } from '@clawdfather/kit';
import {
  type EnvelopeDeps,
  masterIdOf,
  openSecret,
  rewrapSecret,
  sealSecret,
} from '@clawdfather/ssh';
import type { PushKey, Store } from '@clawdfather/store';
import { ApiError } from '../../../http/api-error.ts';
import { newScalar, type VapidKey, vapidKeyOf } from './vapid.ts';

export interface PushKeyDeps extends EnvelopeDeps {
  readonly store: Store;
  readonly random: Random;
  readonly log: Log;
  /* The operator goes on without master keys that are gone. */
  readonly acceptsLostKeys: boolean;
}

export type CurrentPushKey = VapidKey & { readonly id: string };

export interface PushKeys {
  /* Rejects with `unavailable` where the key cannot be opened now. */
  current(): Promise<CurrentPushKey>;
}

/* It belongs to no account. */
const accountId = '';
const contentVersion = 1;

export function createPushKeys(deps: PushKeyDeps): PushKeys {
  const { store } = deps;
  let opened: CurrentPushKey | undefined;
  return {
    current: async () => {
      const stored = (await store.system.push.key()) ?? (await make(deps));
      // Another gateway may have put a new one in its place.
      if (opened?.id === stored.id) {
        await wrapAgain(deps, stored);
        return opened;
      }
      opened = (await open(deps, stored)) ?? (await replace(deps, stored));
      return opened;
    },
  };
}

async function make(deps: PushKeyDeps, replaces?: string): Promise<PushKey> {
  const id = deps.random.id();
  const scalar = newScalar(deps.random);
  const { publicKey } = vapidKeyOf(scalar);
  const privateEnc = await sealSecret(deps, placeOf(id), scalar);
  scalar.fill(0);
  const kept = await deps.store.system.push.keepKey({
    key: { id, publicKey, privateEnc },
    replaces,
  });
  if (kept.id === id) deps.log.event('push.key-made', { keyId: id });
  return kept;
}

async function open(deps: PushKeyDeps, stored: PushKey): Promise<CurrentPushKey | undefined> {
  const { id, privateEnc } = stored;
  const place = placeOf(id);
  let scalar: Buffer;
  try {
    scalar = await openSecret(deps, place, privateEnc);
  } catch (error) {
    if (!hasCode(error, 'secret-unreadable')) throw error;
    deps.log.warn('push.key-unreadable', { keyId: id, error });
    return undefined;
  }
  await wrapAgain(deps, stored);
  const key = vapidKeyOf(scalar);
  scalar.fill(0);
  return { id, ...key };
}

/*
 * With the master key of now, as keys of SSH are at each use: after a rotation the old master key is needed no longer when every gateway has
 * pushed once. Several may do it at once; one of them writes, and all of their envelopes are good.
 */
async function wrapAgain(deps: PushKeyDeps, { id, privateEnc }: PushKey): Promise<void> {
  try {
    const again = await rewrapSecret(deps, placeOf(id), privateEnc);
    if (again === undefined) return;
    await deps.store.system.push.rewrapKey({ id, from: privateEnc, to: again });
  } catch (error) {
    // It is open already: what is wrong with its envelope keeps no push.
    deps.log.warn('push.key-unreadable', { keyId: id, error });
  }
}

async function replace(deps: PushKeyDeps, stored: PushKey): Promise<CurrentPushKey> {
  if (!(await isLost(deps, stored))) {
    throw new ApiError(
      'unavailable',
      'the key that pushes are signed with cannot be opened here now',
    );
  }
  const made = await make(deps, stored.id);
  const key = await open(deps, made);
  if (key === undefined) throw new Error('a push key that was just sealed cannot be opened');
  return key;
}

async function isLost({ store, acceptsLostKeys }: PushKeyDeps, stored: PushKey): Promise<boolean> {
  if (acceptsLostKeys) return true;
  const masterId = masterIdOf(stored.privateEnc);
  return masterId === undefined || !(await store.system.masterKeys.list()).includes(masterId);
}

function placeOf(rowId: string) {
  return { table: 'push_keys', rowId, accountId, version: contentVersion };
}
