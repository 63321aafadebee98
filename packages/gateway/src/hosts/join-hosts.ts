/*
 * How hosts are joined to the rest of the gateway. They need the runs and the sessions, and both of these need hosts: so the hosts are
 * told to them later, before the first request.
 */
import type { DueSession, SessionKeeper } from '@clawdfather/sessions';
import type { KeyCustody } from '@clawdfather/ssh';
import type { AccountId, Store } from '@clawdfather/store';
import type { ExplainExit, RemoteHosts } from '@clawdfather/supervisor';
import type { SessionLimits } from '../accounts/session-bounds.ts';
import type { GatewayConfig } from '../gateway-config.ts';
import type { GatewayDeps } from '../gateway-parts.ts';
import { isOfDevice } from '../http/caller.ts';
import type { Observe } from '../observe/open-observe.ts';
import type { Runs } from '../runs/open-runs.ts';
import type { OpenSessions } from '../sessions/open-sessions.ts';
import { type Hosts, openHosts } from './open-hosts.ts';

export interface JoinedParts extends GatewayDeps {
  readonly config: GatewayConfig;
  readonly store: Store;
  readonly custody: KeyCustody;
  readonly runs: Pick<Runs, 'supervisor'>;
  readonly ownerId: AccountId;
  readonly opened: OpenSessions;
  readonly observe: Observe;
  readonly late: Pick<LateHosts, 'port'>;
  readonly sessionLimits: SessionLimits;
}

export function joinHosts(parts: JoinedParts): Hosts {
  const { config, runs, opened, observe, late, sessionLimits } = parts;
  const { environment } = config.runs;
  return openHosts({
    ...parts,
    stateDir: config.stateDir,
    runtimeDir: environment['XDG_RUNTIME_DIR'],
    home: environment['HOME'] ?? '/',
    checks: parts.hostChecks,
    supervisor: runs.supervisor,
    instance: opened.instance,
    sessions: opened.deps,
    ownListeners: () => [{ address: config.listen.host, port: late.port() }],
    observe: {
      metrics: observe.metrics.ssh,
      commandHash: observe.commandHash,
      tracing: observe.tracing,
    },
    openMaxOf: (accountId, requester) => sessionLimits.openMaxOf(accountId, isOfDevice(requester)),
  });
}

export interface LateHosts {
  readonly remote: RemoteHosts;
  /* Nothing before the hosts are there: what ended until then is explained when its session is taken up. */
  readonly explain: ExplainExit;
  readonly keeper: SessionKeeper;
  readonly check: () => Promise<void>;
  bind(hosts: Hosts): void;
  /* Where the gateway listens is known when it does: a port of 0 is any. */
  readonly knowPort: (portOf: () => number) => void;
  readonly port: () => number;
}

export function createLateHosts(): LateHosts {
  let hosts: Hosts | undefined;
  let port = (): number => 0;
  const bound = (): Hosts => {
    if (hosts === undefined) throw new TypeError('hosts are not open yet');
    return hosts;
  };
  return {
    remote: {
      find: (account, idOrLabel, signal) => bound().remote.find(account, idOrLabel, signal),
      idsOf: (account, signal) => bound().remote.idsOf(account, signal),
    },
    explain: (exit) => hosts?.explain(exit),
    keeper: { adopt: (session: DueSession) => bound().adopt(session) },
    check: () => bound().check(),
    bind: (opened) => void (hosts = opened),
    knowPort: (portOf) => void (port = portOf),
    port: () => port(),
  };
}
