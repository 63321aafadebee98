/*
 * Which tokens may decide what an agent asked for with the tools of this machine. Such a request carries no credential: it is a process that
 * asks. It says in which run that process is, and a run says who asked for it, so the way leads back to a person, a token, or a prompt.
 *
 *   the run was asked for by | a token decides
 *   a device                 | yes
 *   a token                  | unless it is that one
 *   a thread                 | unless a prompt there goes back to it, through any number of agents (may-answer.ts)
 *   an agent in another run  | as that run says
 *   an agent in no run       | yes: a person has started it
 *   not known                | no
 */
import type { Store } from '@clawdfather/store';
import { parseAccountId } from '@clawdfather/store';
import type { RunId } from '@clawdfather/supervisor';
import {
  accountLabel,
  askedInLabel,
  localAccount,
  noRun,
  requesterLabel,
} from '@clawdfather/supervisor/origins';
import type { ApprovalSummary } from '@clawdfather/tools';
import { goesBackTo, ledToByItself } from '../agents/may-answer.ts';
import { actorOf, type Caller, isOfDevice, isOfToken } from '../http/caller.ts';
import type { Runs } from './open-runs.ts';

export interface MayDecideDeps {
  readonly runs: { readonly supervisor: Pick<Runs['supervisor'], 'get'> };
  readonly store: Store;
}

/* Throws `forbidden`. */
export async function checkMayDecide(
  deps: MayDecideDeps,
  caller: Caller,
  { account, labels }: Pick<ApprovalSummary, 'account' | 'labels'>,
): Promise<void> {
  // What was asked for at a gateway is marked with the credential, which the tools look at.
  if (caller.kind === 'device' || account !== localAccount) return;
  if (await mayBeLedTo(deps, labels[askedInLabel], actorOf(caller))) throw ledToByItself();
}

async function mayBeLedTo(
  deps: MayDecideDeps,
  askedIn: string | undefined,
  actor: string,
): Promise<boolean> {
  const seen = new Set<string>();
  for (let runId = askedIn; runId !== noRun; ) {
    if (runId === undefined || seen.has(runId)) return true;
    seen.add(runId);
    const labels = deps.runs.supervisor.get(runId as RunId)?.labels;
    // Whoever starts a run may give it labels, but never this one.
    const requester = labels?.[requesterLabel];
    if (labels === undefined || requester === undefined) return true;
    if (isOfDevice(requester)) return false;
    if (isOfToken(requester)) return requester === actor;
    const threadId = /^thread:(.+)$/.exec(requester)?.[1];
    if (threadId !== undefined) {
      return isPromptedBy(deps, { threadId, account: labels[accountLabel] ?? '' }, actor);
    }
    runId = labels[askedInLabel];
  }
  return false;
}

/* Which turn of the agent it was is not known, so all of them count. */
async function isPromptedBy(
  { store }: MayDecideDeps,
  { threadId, account }: { readonly threadId: string; readonly account: string },
  actor: string,
): Promise<boolean> {
  const { threads } = store.forAccount(parseAccountId(account));
  const turns = await threads.turns(threadId);
  return turns.length === 0 || goesBackTo(threads, turns, actor);
}
