/*
 * The runs of this machine that belong to a session: those whose record names it and its account.
 */
import type { Log } from '@clawdfather/kit';
import { isId } from '@clawdfather/kit';
import type { SessionName, SessionRuns } from '@clawdfather/sessions';
import { parseAccountId } from '@clawdfather/store';
import {
  liveRunStates,
  type RunFilter,
  type RunRecord,
  type Supervisor,
} from '@clawdfather/supervisor';
import { accountLabel, agentBackend, threadLabel } from '@clawdfather/supervisor/origins';
import type { AgentClose } from '@clawdfather/threads';
import type { Tools } from '@clawdfather/tools';
import { checkMayEnd, endableOf, mayEnd } from '../runs/may-end.ts';

export interface SessionRunsDeps {
  readonly runs: { readonly supervisor: Supervisor; readonly personTools: Tools };
  readonly log: Log;
  readonly agents?: SessionAgents | undefined;
}

/* The agents of sessions. They are ended by their controller alone, which knows how to say goodbye to them. */
export interface SessionAgents {
  /* Sessions whose agent answers just now. An agent that waits for the next prompt keeps none open. */
  withTurns(): readonly SessionName[];
  close(thread: SessionName, close: AgentClose): Promise<void>;
}

/* Many more than a machine can hold. If the list were cut, a busy session would count as idle and be closed. */
const runsMax = 1_000_000;

export function createSessionRuns({ runs, log, agents }: SessionRunsDeps): SessionRuns {
  const { supervisor, personTools } = runs;
  const recordsOf = (
    { accountId, id }: SessionName,
    filter: Pick<RunFilter, 'states' | 'includeRemoved'>,
  ): readonly RunRecord[] =>
    supervisor.list({
      sessionId: id,
      labels: { [accountLabel]: accountId },
      limit: runsMax,
      ...filter,
    });
  const liveOf = (session: SessionName) => recordsOf(session, { states: liveRunStates });
  const leftBehindBy = (session: SessionName) =>
    recordsOf(session, { states: ['exited'], includeRemoved: true }).filter(
      ({ treeEndedAtMs }) => treeEndedAtMs === undefined,
    );

  return {
    busy: () => {
      const found = new Map<string, SessionName>();
      for (const session of agents?.withTurns() ?? []) {
        found.set(`${session.accountId}/${session.id}`, session);
      }
      for (const { sessionId, labels, backendId } of supervisor.list({
        states: liveRunStates,
        limit: runsMax,
      })) {
        if (backendId === agentBackend) continue;
        const account = labels[accountLabel] ?? '';
        // Runs without a session have words such as `cli` in its place.
        if (!isId(sessionId) || !isId(account)) continue;
        const session = { accountId: parseAccountId(account), id: sessionId };
        found.set(`${account}/${sessionId}`, session);
      }
      return [...found.values()];
    },
    checkMayEnd: (session, actor) => {
      checkMayEnd(actor, [...liveOf(session), ...leftBehindBy(session)].map(endableOf));
    },
    isBusy: (session) =>
      liveOf(session).some(({ backendId }) => backendId !== agentBackend) ||
      (agents?.withTurns() ?? []).some(
        ({ accountId, id }) => id === session.id && accountId === session.accountId,
      ),
    end: async (session, actor, closedBy = actor) => {
      const { accountId, id } = session;
      const failed = (error: unknown): void =>
        log.warn('session.runs-not-ended', { component: 'session', session_lease_id: id, error });
      const mayEndRun = (record: RunRecord): boolean => mayEnd(closedBy, endableOf(record));
      const live = liveOf(session).filter(mayEndRun);
      const endOne = ({ runId, backendId, labels }: RunRecord): Promise<void> => {
        const threadId = labels[threadLabel];
        return agents === undefined || backendId !== agentBackend || threadId === undefined
          ? supervisor.cancel(runId, 'manual-cancel', actor)
          : agents.close({ accountId, id: threadId }, { reason: 'session-closed', actor });
      };
      await Promise.all(live.map((record) => endOne(record).catch(failed)));
      const { signal } = new AbortController();
      const leftovers = { sessionId: id, account: accountId, requester: actor, signal };
      await personTools.endSession({ ...leftovers, mayEnd: mayEndRun }).catch(failed);
    },
  };
}
