/*
 * Hosts and their tests in words, and as JSON.
 */
import { RefusedError, type Client } from '@clawdfather/sdk';
import { makeVisible } from '@clawdfather/tools/text';
import type { Json } from '../render/run-json.ts';
import type { Host } from './find-one.ts';
import { formatTarget } from './host-target.ts';

export type Tested = Awaited<ReturnType<Client['connections']['test']>>;

/* A test with its refusal for a changed key, which is an answer here. */
export type HostTest =
  | { readonly kind: 'tested'; readonly tested: Tested }
  | {
      readonly kind: 'changed';
      readonly message: string;
      readonly oldFingerprint: string | null;
      readonly newFingerprint: string | null;
    };

export interface TestWish {
  readonly isAccepted: boolean;
  /* The one that was shown. */
  readonly fingerprint?: string | undefined;
}

export async function testHost(
  client: Client,
  { id }: Pick<Host, 'id'>,
  { isAccepted, fingerprint }: TestWish,
): Promise<HostTest> {
  const body = {
    accept_host_key: isAccepted,
    ...(fingerprint === undefined ? {} : { host_key_fingerprint: fingerprint }),
  };
  try {
    return { kind: 'tested', tested: await client.connections.test({ params: { id }, body }) };
  } catch (error) {
    if (!(error instanceof RefusedError) || error.refusal.code !== 'host_key_changed') throw error;
    const { old_fingerprint: before, new_fingerprint: now } = error.detail;
    return {
      kind: 'changed',
      message: error.message,
      oldFingerprint: typeof before === 'string' ? before : null,
      newFingerprint: typeof now === 'string' ? now : null,
    };
  }
}

export function isProven(test: HostTest): boolean {
  return test.kind === 'tested' && test.tested.result === 'ok';
}

/* The key to decide about; undefined when there is nothing to decide. */
export function offeredKey(test: HostTest): string | undefined {
  if (test.kind === 'changed') return test.newFingerprint ?? undefined;
  const { result, host_key_fingerprint: shown } = test.tested;
  return result === 'host_key_unknown' ? (shown ?? undefined) : undefined;
}

/* As people read it: `host key changed`, `failed: key not installed`. */
export function resultText({ last_test: test }: Pick<Host, 'last_test'>): string {
  if (test === null) return 'untested';
  const { result, cause } = test;
  if (result === 'failed' && cause !== null) return `failed: ${cause.replaceAll('-', ' ')}`;
  return result.replaceAll('_', ' ');
}

export function hostJson(host: Host): Json {
  return {
    id: host.id,
    name: host.label,
    host: host.host,
    port: host.port,
    username: host.username,
    keyId: host.keypair_id,
    nextKeyId: host.next_keypair_id,
    policy: host.policy,
    hostKeyFingerprint: host.host_key_fingerprint,
    lastTest:
      host.last_test === null
        ? null
        : {
            result: host.last_test.result,
            cause: host.last_test.cause,
            latencyMs: host.last_test.latency_ms,
            at: host.last_test.at,
          },
    createdAt: host.created_at,
  };
}

export function testJson({ label }: Pick<Host, 'label'>, test: HostTest): Json {
  if (test.kind === 'changed') {
    return {
      name: label,
      result: 'host_key_changed',
      cause: null,
      message: test.message,
      latencyMs: null,
      hostKeyFingerprint: test.newFingerprint,
      pinnedFingerprint: test.oldFingerprint,
      keyId: null,
    };
  }
  const { tested } = test;
  return {
    name: label,
    result: tested.result,
    cause: tested.cause,
    message: tested.message,
    latencyMs: tested.latency_ms,
    hostKeyFingerprint: tested.host_key_fingerprint,
    pinnedFingerprint: tested.connection.host_key_fingerprint,
    keyId: tested.keypair_id,
  };
}

/* What a test says, a sentence per line; what to do comes last. */
export function formatTest(host: Host, test: HostTest): string {
  const name = makeVisible(host.label);
  if (test.kind === 'changed') return formatChanged(host, test);
  const { tested } = test;
  const said = makeVisible(tested.message);
  switch (tested.result) {
    case 'ok':
      return `${name}: ok${tested.latency_ms === null ? '' : `, ${tested.latency_ms} ms`}\n${formatKeyLeft(host, tested)}`;
    case 'host_key_unknown':
      return `${name}: ${said}\n${formatOffered(host, tested.host_key_fingerprint)}`;
    default:
      return `${name}: ${said}\n${formatCure(tested)}`;
  }
}

export function formatOffered({ host }: Pick<Host, 'host'>, fingerprint: string | null): string {
  return `${host} shows the key ${fingerprint ?? '(unknown)'}\nOn the host, this shows the same if it is the right one: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub\n`;
}

function formatChanged(host: Host, test: HostTest & { readonly kind: 'changed' }): string {
  return `${makeVisible(host.label)}: the host key has CHANGED. Either the host was set up anew, or something else answers at ${formatTarget(host)}.\n  trusted  ${test.oldFingerprint ?? '(none)'}\n  shown    ${test.newFingerprint ?? '(unknown)'}\n`;
}

function formatCure({ cause, connection }: Tested): string {
  if (cause !== 'key-not-installed') return '';
  const key = connection.next_keypair_id ?? connection.keypair_id;
  return `Install the key there: clf key install-command ${key}\n`;
}

/* While a key is being rotated. */
function formatKeyLeft(before: Host, { keypair_id: usedId, connection }: Tested): string {
  if (before.next_keypair_id !== null && usedId === before.next_keypair_id) {
    return 'It came in with the new key, and uses it from now on. The old one is still in its authorized_keys.\n';
  }
  const next = connection.next_keypair_id;
  if (next === null || usedId === next) return '';
  return `It came in with the old key; the new one is not installed there yet: clf key install-command ${next}\n`;
}
