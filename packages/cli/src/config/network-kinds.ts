/*
 * Kinds of values that only the gateway's settings have: addresses, networks, lists of words, and what may be left out.
 */
import { BlockList, isIP } from 'node:net';
import { usageError } from '../errors.ts';
import { type Kind, path } from './kinds.ts';

const none = 'none';

/* `none` is nothing. */
export function optional<Value>(kind: Kind<Value>): Kind<Value | undefined> {
  return {
    placeholder: kind.placeholder,
    ...(kind.completes === undefined ? {} : { completes: kind.completes }),
    fromText: (label, text) => (text === none ? undefined : kind.fromText(label, text)),
    fromJson: (label, json) => (json === none ? undefined : kind.fromJson(label, json)),
    toJson: (value) => (value === undefined ? none : kind.toJson(value)),
    schema: { anyOf: [kind.schema, { const: none }] },
    ...(kind.isPath === true ? { isPath: true } : {}),
  };
}

function textKind(
  placeholder: string,
  check: (label: string, text: string) => string,
  schema: Kind<string>['schema'],
): Kind<string> {
  return {
    placeholder,
    fromText: check,
    fromJson: (label, json) => {
      if (typeof json === 'string') return check(label, json);
      throw usageError(`${label} is not a text: ${JSON.stringify(json)}`);
    },
    toJson: (value) => value,
    schema: { type: 'string', ...schema },
  };
}

/* A list in the file; with commas between in a variable or flag. */
function listOf(one: Kind<string>): Kind<readonly string[]> {
  return {
    placeholder: `${one.placeholder},…`,
    fromText: (label, text) =>
      text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '')
        .map((item) => one.fromText(label, item)),
    fromJson: (label, json) => {
      if (Array.isArray(json)) return json.map((item: unknown) => one.fromJson(label, item));
      throw usageError(`${label} is not a list: ${JSON.stringify(json)}`);
    },
    toJson: (value) => value,
    schema: { type: 'array', items: one.schema },
  };
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

const addressPattern = /^(?:\[([0-9a-fA-F:.]+)\]|([^:\s[\]]+)):(\d{1,5})$/;
const portMax = 65_535;

export function parseAddress(label: string, text: string): Address {
  const match = addressPattern.exec(text);
  const port = Number(match?.[3]);
  const host = match?.[1] ?? match?.[2];
  if (host !== undefined && port <= portMax) return { host, port };
  throw usageError(
    `${label} is not an address: "${text}"`,
    'Write it like 127.0.0.1:8420, [::1]:8420 or 0.0.0.0:443; port 0 takes a free one.',
  );
}

/* Kept as text, so that it is shown as it was written. */
export const address: Kind<string> = textKind(
  'HOST:PORT',
  (label, text) => {
    parseAddress(label, text);
    return text;
  },
  { pattern: '^(\\[[0-9a-fA-F:.]+\\]|[^:\\s\\[\\]]+):\\d{1,5}$' },
);

export const webAddress: Kind<string> = textKind(
  'URL',
  (label, text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url?.protocol === 'https:' || url?.protocol === 'http:') return text;
    throw usageError(
      `${label} is not a web address: "${text}"`,
      'Such as https://clawd.example.org',
    );
  },
  { pattern: '^https?://' },
);

/* How to reach a person, in the form that push services want. */
export const contact: Kind<string> = textKind(
  'CONTACT',
  (label, text) => {
    if (/^mailto:[^\s@]+@[^\s@]+$/.test(text)) return text;
    if (text.startsWith('https://') && URL.canParse(text)) return text;
    throw usageError(
      `${label} is not a contact: "${text}"`,
      'Such as mailto:you@your-domain.org or https://your-domain.org/contact',
    );
  },
  { pattern: '^(mailto:[^\\s@]+@[^\\s@]+|https://.+)$' },
);

/* In clear only to this machine. */
const loopbackOrigin = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?$/;

const origin: Kind<string> = textKind(
  'ORIGIN',
  (label, text) => {
    const isOrigin = URL.canParse(text) && new URL(text).origin === text;
    if (isOrigin && (text.startsWith('https://') || loopbackOrigin.test(text))) return text;
    throw usageError(
      `${label} is not an origin: "${text}"`,
      'Such as https://push.your-domain.org',
    );
  },
  { pattern: '^https?://[^/]+$' },
);

export const originList: Kind<readonly string[]> = listOf(origin);

const network: Kind<string> = textKind(
  'CIDR',
  (label, text) => {
    if (isNetwork(text)) return text;
    throw usageError(
      `${label} is not an address or network: "${text}"`,
      'Write it like 10.0.0.7, 10.0.0.0/8 or fd00::/8.',
    );
  },
  { pattern: '^[0-9a-fA-F:.]+(/\\d{1,3})?$' },
);

export const networks: Kind<readonly string[]> = listOf(network);

function isNetwork(text: string): boolean {
  const [ip = '', prefix, ...rest] = text.split('/');
  const version = isIP(ip);
  if (version === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  try {
    // It knows which lengths there are.
    new BlockList().addSubnet(ip, Number(prefix), version === 4 ? 'ipv4' : 'ipv6');
    return /^\d+$/.test(prefix);
  } catch {
    return false;
  }
}

const word: Kind<string> = textKind(
  'WORD',
  (label, text) => {
    if (/^[\x21-\x7e]+$/.test(text)) return text;
    throw usageError(`${label} is not a word: ${JSON.stringify(text)}`);
  },
  { pattern: '^[!-~]+$' },
);

export const words = { one: word, list: listOf(word) } as const;

export const optionalPath: Kind<string | undefined> = optional(path);
