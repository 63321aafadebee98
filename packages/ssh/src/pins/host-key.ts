/*
 * Host keys as pins: a parsed type and blob, never a line of text that came from elsewhere.
 *
 * A line of known_hosts can hold much more than a key: wildcards that match every host, markers such as `@cert-authority`, a
 * second line. So none is stored or passed on. What is written for ssh is built here from the two parts.
 */
import { formatFingerprint } from '../keys/openssh-key.ts';
import { hostKeyTypes, judgeBlob } from './key-blob.ts';
import type { HostKeyType } from './key-blob.ts';

export interface HostKey {
  readonly type: HostKeyType;
  /* Base64, in its one form. */
  readonly blob: string;
}

export type HostKeyReading =
  | { readonly outcome: 'read'; readonly key: HostKey }
  | { readonly outcome: 'refused'; readonly why: 'form' | 'type' | 'blob' | 'rsa-too-short' };

export type PinVerdict = 'unknown' | 'same' | 'changed';

/* An RSA key of 16,384 bits has 2,800. */
const textCharactersMax = 4_096;
const form = /^([a-z0-9@.-]+) ([A-Za-z0-9+/]+={0,2})$/;

/* `<type> <blob>` and nothing else: no host, no marker, no option, no comment, no line end. */
export function parseHostKey(text: string): HostKeyReading {
  const [whole, type, blob = ''] = text.length <= textCharactersMax ? (form.exec(text) ?? []) : [];
  if (whole === undefined) return { outcome: 'refused', why: 'form' };
  const known = hostKeyTypes.find((name) => name === type);
  if (known === undefined) return { outcome: 'refused', why: 'type' };
  const bytes = Buffer.from(blob, 'base64');
  if (bytes.toString('base64') !== blob) return { outcome: 'refused', why: 'form' };
  const verdict = judgeBlob(known, bytes);
  if (verdict === 'sound') return { outcome: 'read', key: { type: known, blob } };
  return { outcome: 'refused', why: verdict === 'unsound' ? 'blob' : verdict };
}

/* As it is stored; `parseHostKey` reads it. */
export function formatHostKey({ type, blob }: HostKey): string {
  return `${type} ${blob}`;
}

/* For the host key program, which puts the alias before it. Without a pin it prints nothing, and ssh refuses every key. */
export function formatPinFile(pin: HostKey | undefined): string {
  return pin === undefined ? '' : `${formatHostKey(pin)}\n`;
}

/* A line of known_hosts for one alias. The alias is one that we made (config-fields.ts), so it matches no other host. */
export function formatPinLine(alias: string, key: HostKey): string {
  if (!/^clf-[0-9a-z]{1,64}$/.test(alias)) throw new TypeError('an alias is clf- and an id');
  return `${alias} ${formatHostKey(key)}\n`;
}

/* As `ssh-keygen -l` prints it. */
export function fingerprintOf({ blob }: HostKey): string {
  return formatFingerprint(Buffer.from(blob, 'base64'));
}

export function comparePin(pin: HostKey | undefined, offered: HostKey): PinVerdict {
  if (pin === undefined) return 'unknown';
  return pin.type === offered.type && pin.blob === offered.blob ? 'same' : 'changed';
}

/*
 * What the client offers to take, in its order: the host shows the first that it has. So one with several keys shows the pinned
 * one, and one that no longer has it shows another, which is then known as changed and can be decided on. With the pinned kind
 * alone such a host would only hang up. No certificates: what they vouch for is whatever an authority wrote into them.
 */
export function hostKeyAlgorithmsOf(pin: HostKey | undefined): readonly string[] {
  const others = hostKeyTypes.filter((type) => type !== pin?.type);
  const types = pin === undefined ? others : [pin.type, ...others];
  return types.flatMap((type) => (type === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [type]));
}
