/*
 * SSH keys in our custody: made here, sealed at once, and opened only to sign a login.
 */
import type { AccountId } from '@clawdfather/kit';
import {
  type EnvelopeDeps,
  openSecret,
  rewrapSecret,
  sealSecret,
  type SecretPlace,
} from './envelope.ts';
import { createOpensshKey } from './openssh-key.ts';
import type { KeyRecords, NewKeypair } from './ports.ts';

export interface KeyCustody {
  /* Not stored yet: the caller does that, together with its audit entry. */
  create(accountId: AccountId, label: string): Promise<NewKeypair>;
  /* The private file, for the signer. The caller overwrites it after use. `undefined`: there is no such key, or it is revoked. */
  open(accountId: AccountId, keypairId: string): Promise<Buffer | undefined>;
}

/* As many as lists show of an id. */
const commentIdChars = 12;

/* The private file of `openssh-key.ts`. */
const contentVersion = 1;

export interface KeyCustodyDeps extends EnvelopeDeps {
  readonly recordsOf: (accountId: AccountId) => KeyRecords;
}

export function createKeyCustody(deps: KeyCustodyDeps): KeyCustody {
  const { recordsOf, random } = deps;
  return {
    create: async (accountId, label) => {
      const id = random.id();
      const key = await createOpensshKey(random, formatComment(label, id));
      const { publicKey, fingerprint, privateFile } = key;
      const privateEnc = await sealSecret(deps, placeOf(accountId, id), privateFile);
      privateFile.fill(0);
      return { id, publicKey, fingerprint, privateEnc };
    },
    open: async (accountId, keypairId) => {
      const records = recordsOf(accountId);
      const sealed = await records.sealedOf(keypairId);
      if (sealed === undefined) return undefined;
      const place = placeOf(accountId, keypairId);
      const clear = await openSecret(deps, place, sealed);
      const again = await rewrapSecret(deps, place, sealed);
      // Several callers may open it at once. One of them writes; all of their envelopes are good.
      if (again !== undefined) await records.rewrap({ id: keypairId, from: sealed, to: again });
      return clear;
    },
  };
}

function placeOf(accountId: AccountId, rowId: string): SecretPlace {
  return { table: 'agent_keypairs', rowId, accountId, version: contentVersion };
}

/*
 * The comment of a public key stands in other people's `authorized_keys` and in a command that is pasted into a shell, so it
 * keeps of the label only what means nothing to either. The key that takes another's place has the same label; the beginning of its id
 * tells the two lines apart.
 */
export function formatComment(label: string, id: string): string {
  const plain = label.replace(/[^A-Za-z0-9._]+/g, '-').replace(/^-+|-+$/g, '');
  const idStart = id.slice(0, commentIdChars);
  return ['clawdfather', plain, idStart].filter((part) => part !== '').join('-');
}
