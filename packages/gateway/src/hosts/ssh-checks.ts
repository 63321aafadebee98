/*
 * Probe and test of hosts with real connections. A test is a master that is opened and closed again: what it proves is what a session
 * needs.
 *
 * The key of a host is accepted only on request, and only the one that was seen. If it replaces another one, what lives on the old pin
 * ends first.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { type Clock, type Random, within } from '@clawdfather/kit';
import {
  connectSeconds,
  fingerprintOf,
  formatHostKey,
  type HostKey,
  type Lookup,
  masterCauses,
  type MasterEnd,
  resolveTarget,
} from '@clawdfather/ssh';
import type { HostPin } from '@clawdfather/store';
import { ApiError } from '../http/api-error.ts';
import type { HostChecks, HostProbe, HostTest, HostTestCall } from './host-checks.ts';
import { tryCommand } from './try-command.ts';
import { type HostSessions, type LiveHost } from './host-sessions.ts';
import { type HostTarget, type HostTargetDeps, policyFor, targetOf } from './host-target.ts';
import { hostNotAllowed } from './start-host-session.ts';

export interface SshChecksDeps extends HostTargetDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly lookup: Lookup;
  readonly sessions: HostSessions;
  readonly shimPath: string;
}

const probeMs = 5_000;

export function createSshChecks(deps: SshChecksDeps): HostChecks {
  return {
    probe: async ({ accountId, host, port }, signal) => {
      const { clock, lookup } = deps;
      const policy = policyFor(deps, accountId);
      const resolved = await resolveTarget({ host, port, policy }, { lookup, clock, signal });
      if (resolved.outcome === 'forbidden') throw hostNotAllowed();
      if (resolved.outcome !== 'resolved') return { status: 'dns_fail' };
      return knock(clock, resolved.address, port);
    },
    test: async (call, signal) => {
      const target = await targetOf(deps, call.accountId, call.connection);
      if (target === undefined) throw new ApiError('keypair_revoked');
      const first = await attempt(deps, call, { target, signal });
      const { offered } = first;
      const isNew = first.result === 'host_key_unknown' || first.result === 'host_key_changed';
      if (!isNew || !call.acceptHostKey || offered === undefined) return toAnswer(first);
      if (
        call.expectedFingerprint !== undefined &&
        call.expectedFingerprint !== fingerprintOf(offered)
      ) {
        return toAnswer(first);
      }
      await Promise.all(
        deps.sessions
          .onConnection(call.accountId, call.connection.id)
          .map(({ session }) => deps.sessions.end(session.id, 'pin-changed')),
      );
      const again = await attempt(deps, call, { target: { ...target, pin: offered }, signal });
      return { ...toAnswer({ ...again, offered }), isAccepted: true };
    },
  };
}

interface Attempted
  extends Pick<HostTest, 'result' | 'message' | 'cause' | 'latencyMs' | 'keypairId'> {
  readonly offered: HostKey | undefined;
}

async function attempt(
  { clock, random, sessions, shimPath }: SshChecksDeps,
  { accountId }: HostTestCall,
  { target, signal }: { readonly target: HostTarget; readonly signal: AbortSignal },
): Promise<Attempted> {
  const begunAtMs = clock.monotonicMs();
  const session = { accountId, id: `test-${random.id()}` };
  const options = { connectSeconds: connectSeconds.test, signal };
  const started = await sessions.start(session, target, options);
  const latencyMs = Math.round(clock.monotonicMs() - begunAtMs);
  if (!isLive(started)) return { ...resultOf(started), latencyMs, offered: started.offered };
  const keypairId = started.master.signedWith();
  const cause = await tryCommand({ clock, shimPath }, started.master);
  await sessions.end(session.id, 'closed');
  return {
    ...(cause === undefined
      ? { result: 'ok', message: 'The host let us in.' }
      : resultOf({ cause })),
    latencyMs,
    offered: target.pin,
    ...(keypairId === undefined ? {} : { keypairId }),
  };
}

function isLive(started: LiveHost | MasterEnd): started is LiveHost {
  return 'master' in started;
}

function resultOf({
  cause,
}: Pick<MasterEnd, 'cause'>): Pick<HostTest, 'result' | 'message' | 'cause'> {
  if (cause === 'address-forbidden') throw hostNotAllowed();
  const { sentence, hint } = masterCauses[cause];
  const message = `${sentence} ${hint}`;
  if (cause === 'host-key-unknown') return { result: 'host_key_unknown', message, cause };
  if (cause === 'host-key-changed') return { result: 'host_key_changed', message, cause };
  const isLate = cause === 'timeout' || cause === 'silent-server' || cause === 'login-stalled';
  return { result: isLate ? 'timeout' : 'failed', message, cause };
}

function toAnswer({ offered, ...test }: Attempted): HostTest {
  return offered === undefined ? test : { ...test, offered: toPin(offered) };
}

function toPin(key: HostKey): HostPin {
  return { key: formatHostKey(key), fingerprint: fingerprintOf(key) };
}

/* The first line of an SSH server begins so; anything else on that port is none. */
async function knock(clock: Clock, address: string, port: number): Promise<HostProbe> {
  const begunAtMs = clock.monotonicMs();
  const socket = connect({ host: address, port });
  const reached = once(socket, 'connect').then(
    () => true,
    () => false,
  );
  try {
    const isOpen = await within(reached, { clock, ms: probeMs, late: () => false });
    if (!isOpen) return { status: 'port_fail' };
    const said = once(socket, 'data').then(
      ([bytes]) => String(bytes),
      () => '',
    );
    const banner = await within(said, { clock, ms: probeMs, late: () => '' });
    const latencyMs = Math.round(clock.monotonicMs() - begunAtMs);
    return { status: banner.startsWith('SSH-') ? 'connectable' : 'ssh_fail', latencyMs };
  } finally {
    socket.destroy();
  }
}
