/*
 * The runs of this host that belong to a session: those whose record names it and its account.
 */
import type { Log } from '@clawdfather/kit';
import { isId } from '@clawdfather/kit';
import type { AccountId } from '@clawdfather/store';
import { parseAccountId } from '@clawdfather/store';
import { liveRunStates, type RunRecord, type Supervisor } from '@clawdfather/supervisor';
import type { Tools } from '@clawdfather/tools';

export interface SessionName {
  readonly accountId: AccountId;
  readonly id: string;
}

export interface SessionRuns {
  /* Sessions with a command under way here. */
  busy(): readonly SessionName[];
  isBusy(session: SessionName): boolean;
  /* Ends its commands and what its finished ones have left. Never rejects: what fails is logged, and the clean-up asks again. */
  end(session: SessionName, actor: string): Promise<void>;
}

export interface SessionRunsDeps {
  readonly runs: { readonly supervisor: Supervisor; readonly personTools: Tools };
  readonly log: Log;
}

/* Many more than a host can hold. A list that were cut would call a busy session idle, and close it. */
const runsMax = 1_000_000;

export function createSessionRuns({ runs, log }: SessionRunsDeps): SessionRuns {
  const { supervisor, personTools } = runs;
  const liveOf = ({ accountId, id }: SessionName): readonly RunRecord[] =>
    supervisor.list({
      sessionId: id,
      labels: { account: accountId },
      states: liveRunStates,
      limit: runsMax,
    });

  return {
    busy: () => {
      const found = new Map<string, SessionName>();
      for (const { sessionId, labels } of supervisor.list({
        states: liveRunStates,
        limit: runsMax,
      })) {
        const account = labels['account'] ?? '';
        // Runs without a session have words such as `cli` in its place.
        if (!isId(sessionId) || !isId(account)) continue;
        const session = { accountId: parseAccountId(account), id: sessionId };
        found.set(`${account}/${sessionId}`, session);
      }
      return [...found.values()];
    },
    isBusy: (session) => liveOf(session).length > 0,
    end: async (session, actor) => {
      const { accountId, id } = session;
      const failed = (error: unknown): void =>
        log.warn('session.runs-not-ended', { component: 'session', session_lease_id: id, error });
      await Promise.all(
        liveOf(session).map(({ runId }) =>
          supervisor.cancel(runId, 'manual-cancel', actor).catch(failed),
        ),
      );
      const { signal } = new AbortController();
      await personTools
        .endSession({ sessionId: id, account: accountId, requester: actor, signal })
        .catch(failed);
    },
  };
}
