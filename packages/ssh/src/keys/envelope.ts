/*
 * A secret as it lies in the database: encrypted by a key of its own, which is wrapped by the account's.
 *
 * V1 Both layers are bound to the place: table, row, account and version. A secret that was moved to another row cannot be opened.
 * V2 Wrapping again changes the outer layer alone, so it needs no secret in clear and cannot damage one.
 */
import { hasCode, type Random } from '@clawdfather/kit';
import { decrypt, encrypt, keyBytes, type Kms, unreadable, type WrappedKey } from './kms.ts';

export interface SecretPlace {
  readonly table: string;
  readonly rowId: string;
  readonly accountId: string;
  /* Of what is inside. */
  readonly version: number;
}

export interface EnvelopeDeps {
  readonly kms: Kms;
  readonly random: Random;
}

interface Envelope {
  readonly version: number;
  readonly wrapped: WrappedKey;
  readonly body: Buffer;
}

const mark = 'clf-envelope';
const masterIdPattern = /^[0-9a-f]{16}$/;

export async function sealSecret(
  { kms, random }: EnvelopeDeps,
  place: SecretPlace,
  clear: Buffer,
): Promise<string> {
  const aad = aadOf(place);
  const key = Buffer.from(random.bytes(keyBytes));
  try {
    const body = encrypt(clear, { key, aad, random });
    const wrapped = await kms.wrap(key, { accountId: place.accountId, aad });
    return formatEnvelope({ version: place.version, wrapped, body });
  } finally {
    key.fill(0);
  }
}

/* Throws `secret-unreadable`. The caller overwrites the result after use. */
export async function openSecret(
  { kms }: Pick<EnvelopeDeps, 'kms'>,
  place: SecretPlace,
  text: string,
): Promise<Buffer> {
  const { version, wrapped, body } = parseEnvelope(text);
  if (version !== place.version) throw unreadable(`it has version ${version}`);
  const aad = aadOf(place);
  const key = await kms.unwrap(wrapped, { accountId: place.accountId, aad });
  try {
    return decrypt(body, { key, aad });
  } finally {
    key.fill(0);
  }
}

/* The same secret under the current master key; `undefined` when it is already. */
export async function rewrapSecret(
  { kms }: Pick<EnvelopeDeps, 'kms'>,
  place: SecretPlace,
  text: string,
): Promise<string | undefined> {
  const envelope = parseEnvelope(text);
  if (envelope.wrapped.masterId === (await kms.currentId())) return undefined;
  const use = { accountId: place.accountId, aad: aadOf(place) };
  const key = await kms.unwrap(envelope.wrapped, use);
  try {
    return formatEnvelope({ ...envelope, wrapped: await kms.wrap(key, use) });
  } finally {
    key.fill(0);
  }
}

/* The master key that opens it; `undefined`: it is no envelope of ours, and none does. */
export function masterIdOf(text: string): string | undefined {
  try {
    return parseEnvelope(text).wrapped.masterId;
  } catch (error) {
    if (hasCode(error, 'secret-unreadable')) return undefined;
    throw error;
  }
}

/* JSON, so that the four values cannot run into each other. */
function aadOf({ table, rowId, accountId, version }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify([table, rowId, accountId, version]));
}

function formatEnvelope({ version, wrapped, body }: Envelope): string {
  const parts = [wrapped.bytes, body].map((bytes) => bytes.toString('base64url'));
  return [mark, version, wrapped.masterId, ...parts].join('.');
}

function parseEnvelope(text: string): Envelope {
  const [found, version = '', masterId = '', wrapped = '', body = '', ...rest] = text.split('.');
  const isOurs = found === mark && rest.length === 0 && /^[1-9][0-9]{0,5}$/.test(version);
  if (!isOurs || !masterIdPattern.test(masterId)) throw unreadable('it is no envelope of ours');
  return {
    version: Number(version),
    wrapped: { masterId, bytes: Buffer.from(wrapped, 'base64url') },
    body: Buffer.from(body, 'base64url'),
  };
}
