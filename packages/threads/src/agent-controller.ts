/*
 * The one way in which anything here starts, stops or ends an agent. Three intents, which never mix (AP7): a cancel ends a turn, a close
 * ends the agent of a session, and reaping finishes what an earlier gateway has left.
 *
 * The processes are leased: `agent_runs` has a row for each, written before it is started (AP1). No process is looked for in the process
 * table: reaping starts from the leases, and only a process that a lease proves to be ours is signalled (AP2 to AP5).
 */
import {
  type AgentRunRow,
  cancelTurn,
  type DueThreads,
  type ThreadName,
  type ThreadRecords,
  type TreeVerdict,
  verifyTree,
} from '@clawdfather/agents';
import type { AccountId, Clock, Log } from '@clawdfather/kit';
import type { Actors } from './actors.ts';
import type { Asker } from './create-threads.ts';
import { ThreadsError } from './errors.ts';
import type { AgentSessions } from './ports.ts';
import { seeTree, type SeeingSupervisor } from './tree-evidence.ts';

export interface AgentClose {
  /* What the agent has stored of the conversation goes, too, where it can do that; its next process begins anew. */
  readonly discardPersistentState?: boolean;
  /* For people and the log. */
  readonly reason?: string;
  readonly actor?: string;
}

export interface AgentController {
  /*
   * The agent of this thread, in a session: the one that it has, or a new one, from the moment that its process runs. Throws
   * `thread-not-found`, `thread-archived`, `agent-not-started` with the reason, `agent-elsewhere`.
   */
  ensureSession(name: ThreadName): Promise<AgentRunRow>;
  /* Ends the turn, and nothing else. Throws `turn-not-found`. False: it has ended, or was cancelled before. */
  cancelTurn(accountId: AccountId, turnId: string, by: Asker): Promise<boolean>;
  /*
   * Says goodbye to the agent where it wants that, then ends its tree. The conversation stays. Resolves when the tree was told to end,
   * or is not to be touched; from its first commit on it is finished by whichever gateway is next (AP6).
   */
  closeSession(name: ThreadName, close?: AgentClose): Promise<void>;
  /*
   * From the open leases of this gateway: what was closing is ended, what has lost its session is closed, and the rest is taken
   * over. At the start, and then with each clean-up.
   */
  reapStartupOrphans(): Promise<void>;
  /* Only `ours` may be signalled. */
  verifyOwnedTree(lease: AgentRunRow): TreeVerdict;
}

export interface AgentControllerDeps {
  readonly recordsOf: (accountId: AccountId) => ThreadRecords;
  readonly due: Pick<DueThreads, 'withRuns'>;
  readonly supervisor: SeeingSupervisor;
  readonly sessions?: AgentSessions | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export function createAgentController(deps: AgentControllerDeps, actors: Actors): AgentController {
  const { due, supervisor } = deps;
  return {
    ensureSession: (name) => actors.of(name).ensureAgent(),
    cancelTurn: (accountId, turnId, by) => cancelOne(deps, actors, { accountId, turnId, by }),
    closeSession: async (name, { reason = 'asked', actor = 'gateway', ...close } = {}) => {
      const discards = close.discardPersistentState ?? false;
      await actors.of(name).closeAgent({ reason, actor, discards, cancelsTurn: true });
    },
    reapStartupOrphans: async () => {
      for (const name of await due.withRuns(supervisor.instanceId)) {
        await reapOne(deps, actors, name);
      }
    },
    verifyOwnedTree: (lease) => verifyTree(lease, seeTree(supervisor, lease)),
  };
}

/* What cannot be done for one thread is no reason to leave the others. */
async function reapOne(
  { sessions, log }: AgentControllerDeps,
  actors: Actors,
  name: ThreadName,
): Promise<void> {
  const actor = actors.of(name);
  try {
    // Another gateway may have asked for its end.
    await actor.rows.forget();
    const { run, thread } = await actor.rows.read();
    if (run === undefined) return;
    const { accountId } = name;
    const isArchived = thread.status === 'archived';
    const end =
      isArchived || thread.sessionId === undefined
        ? undefined
        : await sessions?.endOf(accountId, thread.sessionId);
    const reason = isArchived ? 'archived' : end && 'session-over';
    if (reason === undefined || run.state !== 'open') actor.kick();
    else {
      log.event('agent.orphan-closed', { threadId: name.id, runId: run.runId, reason });
      // A turn that was lost with its host was cancelled by nobody.
      const cancelsTurn = end !== 'lost';
      const close = { reason, actor: 'cleanup', discards: false, cancelsTurn };
      await actor.closeAgent(close, { waits: false });
    }
  } catch (error) {
    log.warn('agent.orphan-not-reaped', { threadId: name.id, error });
  }
}

async function cancelOne(
  { recordsOf, clock }: AgentControllerDeps,
  actors: Actors,
  { accountId, turnId, by }: { accountId: AccountId; turnId: string; by: Asker },
): Promise<boolean> {
  const turn = await recordsOf(accountId).turn(turnId);
  if (turn === undefined) throw new ThreadsError('turn-not-found', `there is no turn ${turnId}`);
  const thread = actors.of({ accountId, id: turn.threadId });
  const detail = { thread: turn.threadId };
  const audit = { action: 'turn.cancel', ...by, target: turnId, detail } as const;
  const rows = await thread.rows.change((now) => {
    const { actor } = by;
    const change = cancelTurn(now, { turnId, cause: 'asked', actor }, clock.wallMs());
    return change && { change, audits: [audit] };
  });
  thread.kick();
  actors.admission.look();
  return rows !== undefined;
}
