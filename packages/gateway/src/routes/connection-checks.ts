/*
 * Probe and test over HTTP: what the port found is recorded, and told.
 *
 * A changed host key is a refusal with both fingerprints, because it is a decision and no result to go on with. It is recorded as
 * the result of the test all the same, so that no session starts before the decision.
 */
import type { Api } from '@clawdfather/protocol/api';
import { nextConnectionKeys as nextKeys } from '@clawdfather/ssh';
import type { AccountStore, Connection, HostPin, Store } from '@clawdfather/store';
import type { HostChecks, HostTest } from '../hosts/host-checks.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import { auditOf, type Call, type Handlers } from '../http/handlers.ts';
import type { SshObserver } from '../observe/metrics.ts';
import { showConnection } from './show-connection.ts';

export interface ConnectionChecksParts {
  readonly store: Store;
  readonly hosts: { readonly checks: HostChecks };
  readonly observe: { readonly metrics: { readonly ssh: Pick<SshObserver, 'tested'> } };
}

type TestCall = Call<Api['connections']['test']>;

export function createConnectionChecks({
  store,
  hosts: { checks },
  observe: { metrics },
}: ConnectionChecksParts): Pick<Handlers<Api['connections']>, 'probe' | 'test'> {
  return {
    probe: async ({ caller: { accountId }, body, signal }) => {
      const { status, latencyMs } = await checks.probe({ accountId, ...body }, signal);
      return { status, latency_ms: latencyMs ?? null };
    },
    test: async (call) => {
      const { accountId } = call.caller;
      const mine = store.forAccount(accountId);
      const connection = await mine.connections.get(call.params.id);
      if (connection === undefined) throw notFound();
      const key = await mine.keypairs.get(connection.keypairId);
      if (key === undefined || key.status === 'revoked') throw new ApiError('keypair_revoked');
      const { accept_host_key: acceptHostKey, host_key_fingerprint: expectedFingerprint } =
        call.body;
      const found = await checks.test(
        { accountId, connection, acceptHostKey, expectedFingerprint },
        call.signal,
      );
      metrics.ssh.tested(found.result);
      const after = await record(mine, call, { connection, found });
      if (found.result === 'host_key_changed') throw hostKeyChanged(connection, found);
      return {
        result: found.result,
        latency_ms: found.latencyMs ?? null,
        host_key_fingerprint: found.offered?.fingerprint ?? null,
        message: found.message,
        cause: found.cause ?? null,
        keypair_id: found.result === 'ok' ? (found.keypairId ?? null) : null,
        connection: showConnection(after),
      };
    },
  };
}

async function record(
  { connections }: AccountStore,
  call: TestCall,
  { connection, found }: { readonly connection: Connection; readonly found: HostTest },
): Promise<Connection> {
  const { id } = connection;
  const pin = acceptedPin(call.body, found);
  const { result, latencyMs, cause, keypairId, offered } = found;
  const recorded = await connections.recordTest({
    id,
    result,
    // What was changed meanwhile was not tested.
    seen: connection,
    ...(latencyMs === undefined ? {} : { latencyMs }),
    ...(cause === undefined ? {} : { cause }),
    ...(pin === undefined ? {} : { pin }),
    ...(result === 'ok' && keypairId !== undefined ? { proven: { keypairId, nextKeys } } : {}),
    audit: auditOf(call, pin === undefined ? 'connection.test' : 'connection.trust', {
      result,
      ...(offered === undefined ? {} : { fingerprint: offered.fingerprint }),
    }),
  });
  const after = recorded === 'recorded' ? await connections.get(id) : undefined;
  if (after === undefined) throw notFound();
  return after;
}

/* Trust is given by the caller alone, and only to the key that was shown to them if they said which. */
function acceptedPin(
  { accept_host_key: isAsked, host_key_fingerprint: expected }: TestCall['body'],
  { isAccepted, offered }: HostTest,
): HostPin | undefined {
  if (!isAsked || isAccepted !== true || offered === undefined) return undefined;
  return expected === undefined || expected === offered.fingerprint ? offered : undefined;
}

function hostKeyChanged({ pinFingerprint }: Connection, { message, offered }: HostTest): ApiError {
  return new ApiError('host_key_changed', message, {
    detail: {
      old_fingerprint: pinFingerprint ?? null,
      new_fingerprint: offered?.fingerprint ?? null,
    },
    hint: 'If the host has really got a new key, test again with accept_host_key; otherwise something else answers there.',
  });
}
