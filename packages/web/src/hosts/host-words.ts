/*
 * How a host stands, in words: whether it was ever reached, whether it is the one that was trusted, and where a test stopped.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { Mood } from '../parts/rows.tsx';

export type Host = AnswerOf<Api['connections']['get']>['connection'];
export type HostTest = AnswerOf<Api['connections']['test']>;
export type Key = AnswerOf<Api['keys']['list']>['items'][number];

const standings: Readonly<Record<string, readonly [words: string, mood: Mood]>> = {
  ok: ['works', 'good'],
  timeout: ['does not answer', 'bad'],
  host_key_unknown: ['to be trusted', 'waiting'],
  host_key_changed: ['other key: blocked', 'bad'],
};

export function standingOfHost({ last_test: test }: Pick<Host, 'last_test'>): {
  readonly words: string;
  readonly mood: Mood;
} {
  if (test === null) return { words: 'not set up', mood: 'waiting' };
  if (test.result === 'failed') return { words: whereStopped(test.cause), mood: 'bad' };
  const [words, mood] = standings[test.result] ?? [test.result, 'plain'];
  return { words, mood };
}

/* In the list of hosts; what to do about it is on the host's own page. */
const stops = [
  'name not found',
  'nothing answers there',
  'no SSH server',
  'host key not accepted',
  'key not accepted',
  'runs no commands',
] as const;

function whereStopped(cause: string | null): string {
  const step = stepOf(cause);
  return step === undefined ? 'test failed' : (stops[step] ?? 'test failed');
}

export function addressOfHost({
  username,
  host,
  port,
}: Pick<Host, 'username' | 'host' | 'port'>): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `${username}@${name}${port === 22 ? '' : `:${port}`}`;
}

/* What a connection passes on its way, in order. */
export const testSteps = [
  'The name is found',
  'The port answers',
  'An SSH server speaks',
  'It shows the trusted key',
  'The key lets us in',
  'It runs commands',
] as const;

const stepOfCause: Readonly<Record<string, number>> = {
  dns: 0,
  'address-forbidden': 0,
  refused: 1,
  timeout: 1,
  'no-route': 1,
  'dial-failed': 1,
  'local-limit': 1,
  'silent-server': 2,
  'closed-early': 2,
  'penalty-suspected': 2,
  'host-key-unknown': 3,
  'host-key-changed': 3,
  'host-key-unusable': 3,
  'pin-unreadable': 3,
  'closed-before-login': 4,
  'key-not-installed': 4,
  'refused-after-signature': 4,
  'login-stalled': 4,
  'signer-refused': 4,
  'signer-gone': 4,
  'max-sessions': 5,
  'restricted-shell': 5,
};

/* At which step a test stopped; undefined: its cause says nothing about that. */
export function stepOf(cause: string | null): number | undefined {
  return cause === null ? undefined : stepOfCause[cause];
}

/* The words of a look at an address, before anything is stored. */
export const probeWords: Readonly<Record<string, string>> = {
  connectable: 'An SSH server answers there.',
  dns_fail: 'This name is not found. Check how it is written.',
  port_fail: 'The host is found, but nothing answers at this port.',
  ssh_fail: 'Something answers at this port, but it is no SSH server.',
};

/* SHA256:abcd efgh …, to be compared by eye. */
export function groupFingerprint(fingerprint: string): string {
  const [kind, text] = fingerprint.split(':', 2);
  if (text === undefined) return fingerprint;
  return `${kind}: ${(text.match(/.{1,4}/g) ?? []).join(' ')}`;
}
