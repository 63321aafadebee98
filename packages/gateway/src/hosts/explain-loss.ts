/*
 * Why a command was lost with its connection, or never got a session on it. The client that carried it sees only that the master is gone; the cause is the master's
 * (docs/ssh.md). So the end of such a run waits for that of its master, and is recorded with the cause: whoever waits for the run
 * reads it there.
 *
 * Where no gateway was there at that moment, or the master's end came late, the cause is added to the run once it is known.
 */
import { type Clock, within } from '@clawdfather/kit';
import { type MasterCause, masterCauses, type ReportLine } from '@clawdfather/ssh';
import type { ExitExplanation, RunExit, Supervisor } from '@clawdfather/supervisor';
import { hostLabel } from '@clawdfather/supervisor/origins';
import type { LiveHost } from './host-sessions.ts';
import type { LeaseFiles } from './lease-files.ts';

export interface LossDeps {
  readonly clock: Clock;
  readonly supervisor: Pick<Supervisor, 'list' | 'explain'>;
  readonly leases: Pick<LeaseFiles, 'report'>;
}

export interface Losses {
  /* Before its end is settled. Undefined, and at once, for a command that was not lost. */
  explain(host: LiveHost, exit: RunExit): Promise<ExitExplanation | undefined> | undefined;
  /* Of a session whose connection is gone: those that have ended without a word on why. */
  explainEnded(host: Pick<LiveHost, 'session' | 'connectionId'>, cause: MasterCause): Promise<void>;
}

/* Longer than the ladder that ends a master: TERMINATE, then SIGTERM, then SIGKILL. */
const masterEndMs = 10_000;
/* The client's status where the host gave no code. */
const noCode = 255;

export function createLosses({ clock, supervisor, leases }: LossDeps): Losses {
  const lossOf = async (connectionId: string, runId: string): Promise<Loss | undefined> =>
    readLoss(await leases.report(connectionId, runId));
  return {
    explain: (host, exit) => {
      if (isEndedWithHost(exit)) return Promise.resolve(explainEnding(host));
      if (!isWithoutCode(exit)) return undefined;
      return lossOf(host.connectionId, exit.runId).then(async (loss) => {
        if (loss === undefined) return undefined;
        if (loss === 'refused') return explanationOf(loss, 'max-sessions');
        const late = (): undefined => undefined;
        const end = await within(host.master.ended, { clock, ms: masterEndMs, late });
        return end && explanationOf(loss, end.cause);
      });
    },
    explainEnded: async ({ session, connectionId }, cause) => {
      const records = supervisor.list({
        sessionId: session.id,
        labels: { [hostLabel]: connectionId },
        states: ['exited'],
      });
      for (const { runId, exit } of records) {
        if (exit === undefined || exit.hostCause !== undefined || !isWithoutCode(exit)) continue;
        const loss = await lossOf(connectionId, runId);
        if (loss === 'lost' || loss === 'unsent')
          await supervisor.explain(runId, explanationOf(loss, cause));
      }
    },
  };
}

/* `refused`: the host gave it no session, and the connection is well. `unsent`: the connection was gone before the command was. */
type Loss = 'lost' | 'unsent' | 'refused';

function readLoss(lines: readonly ReportLine[]): Loss | undefined {
  if (lines.some(({ kind }) => kind === 'refused')) return 'refused';
  if (lines.some(({ kind }) => kind === 'no-master')) return 'unsent';
  const isLost = lines.some((line) => line.kind === 'ended-without-code' && !line.isMasterAlive);
  return isLost ? 'lost' : undefined;
}

function isWithoutCode({ reason, code }: RunExit): boolean {
  return reason === 'exit' && code === noCode;
}

/* It was told to end because its session ends. */
function isEndedWithHost({ reason, actor }: RunExit): boolean {
  return reason === 'manual-cancel' && actor === sessionActor;
}

/* Who ends the commands of a session that ends. */
export const sessionActor = 'ssh';

function explainEnding({ master }: LiveHost): ExitExplanation | undefined {
  const state = master.state();
  if (state.status !== 'draining') return undefined;
  const { why } = state;
  if (why === 'silence' || why === 'start-limit') return undefined;
  return {
    hostCause: why,
    detail: `its session on the host was ended. ${masterCauses[why].sentence}`,
  };
}

function explanationOf(loss: Loss, cause: MasterCause): ExitExplanation {
  const { sentence, hint } = masterCauses[cause];
  const what: Readonly<Record<Loss, string>> = {
    lost: `the connection to the host was lost. ${sentence}`,
    unsent: `it was not started: the connection to the host was gone. ${sentence}`,
    refused: `it was not started. ${sentence} ${hint}`,
  };
  return { hostCause: cause, detail: what[loss] };
}
