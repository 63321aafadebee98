/*
 * What a gateway is made from, and what its routes share.
 */
import type { Clock, Log, Random } from '@clawdfather/kit';
import type { NewsDesk } from '@clawdfather/sessions';
import type { KeyCustody } from '@clawdfather/ssh';
import type { SessionLimits } from './accounts/session-bounds.ts';
import type { AgentThreads } from './agents/open-threads.ts';
import type { TurnOfRun } from './agents/turn-of-run.ts';
import type { Auth } from './auth/create-auth.ts';
import type { BoundedShells } from './directories/bounded-shell.ts';
import type { GatewayConfig } from './gateway-config.ts';
import type { Lookup } from '@clawdfather/ssh';
import type { HostChecks } from './hosts/host-checks.ts';
import type { Hosts } from './hosts/open-hosts.ts';
import type { OpenStreams } from './http/open-streams.ts';
import type { RegisterDeps } from './http/register-endpoints.ts';
import type { LiveHub } from './live/live-hub.ts';
import type { NoticeChannel } from './notices/channel.ts';
import type { PushParts } from './notices/push-parts.ts';
import type { Observe } from './observe/open-observe.ts';
import type { ApprovalAudit } from './runs/approval-audit.ts';
import type { RunsFor } from './runs/caller-runs.ts';
import type { Runs } from './runs/open-runs.ts';
import type { Instance } from './sessions/instance.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { Attachments } from './uploads/open-attachments.ts';

export interface GatewayDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /* Probes and tests hosts; replaced in tests. */
  readonly hostChecks?: HostChecks;
  /* Resolves the names of hosts; default the system's. */
  readonly lookup?: Lookup;
}

/* What routes are made from; each takes what it needs of it. */
export interface GatewayParts extends RegisterDeps, GatewayDeps, Omit<Auth, 'recognise'> {
  readonly config: GatewayConfig;
  readonly observe: Observe;
  readonly runs: Runs;
  readonly approvalAudit: ApprovalAudit;
  /* What a caller can do with runs: the one way to them for every route and socket. */
  readonly runsFor: RunsFor;
  readonly streams: OpenStreams;
  /* Ways to tell a person something outside of the gateway. */
  readonly channels: readonly NoticeChannel[];
  readonly push: PushParts;
  readonly hub: LiveHub;
  readonly custody: KeyCustody;
  readonly hosts: Hosts;
  /* For looks at directories, whoever asks for them. */
  readonly shells: BoundedShells;
  readonly agentThreads: AgentThreads;
  readonly attachments: Attachments;
  readonly turnOfRun: TurnOfRun;
  readonly instance: Instance;
  readonly sessions: Sessions;
  readonly sessionNews: NewsDesk;
  readonly sessionLimits: SessionLimits;
}
