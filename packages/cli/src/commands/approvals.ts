/*
 * `clf approvals`: what waits for a decision, oldest first, or all that is on record, and with `-f` on from there; here, or with
 * `--gateway` at a gateway.
 */
import { CodedError, onAbort } from '@clawdfather/kit';
import type { ApprovalRecord, Gatekeeper } from '@clawdfather/tools';
import { approvalJson } from '../approvals/approval-json.ts';
import { machineAccounts } from '@clawdfather/supervisor/origins';
import { formatFoot, formatNone } from '../approvals/approval-place.ts';
import { type ApprovalSource, followApprovals } from '../approvals/follow-approvals.ts';
import { type Approvals, withApprovals } from '../approvals/with-approvals.ts';
import type { CallOf, CommandContext } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import { findPlace, flagHere } from '../sign-in/find-gateway.ts';
import { formatWaiting } from '../threads/ask-text.ts';
import { createAskNews } from '../threads/ask-news.ts';
import { createAsksHere, readAsksHere } from '../threads/asks-here.ts';
import { askJson } from '../threads/thread-json.ts';
import type { approvalsSpec } from './approval-specs.ts';

/* Of those that are over: more than a person reads. */
const overMax = 1_000;
/* More than may wait on one machine. */
const waitingMax = 10_000;

export async function execute(context: CallOf<typeof approvalsSpec>): Promise<ExitStatus> {
  const { io, clock, paint } = context;
  const { all: isAll, follow: isFollow } = context.flags;
  const { stateDir } = context.config;
  const place = { name: `in ${stateDir}`, flag: flagHere(context.config) };
  if (findPlace(context) !== undefined) {
    const { showApprovals } = await import('../approvals/at-gateway.ts');
    return showApprovals(context, { isAll, isFollow });
  }
  return withApprovals(context, async (approvals) => {
    const { gatekeeper } = approvals;
    // Watched from before the first look: what comes in between is seen by one of the two.
    using source = isFollow ? openSource(context, approvals) : undefined;
    const records = readApprovals(gatekeeper, isAll);
    await using here = createAsksHere(context);
    const asks = await readAsksHere(context, here, isAll);
    if (context.isJson) {
      for (const record of records) await io.stdout.write(jsonLine(approvalJson(record, stateDir)));
      for (const ask of asks) await io.stdout.write(jsonLine(askJson(ask)));
    } else if (records.length + asks.length === 0 && !isFollow) {
      await io.stdout.write(formatNone(place, isAll));
    } else if (records.length + asks.length > 0) {
      const columnsMax = io.columns();
      await io.stdout.write(
        formatWaiting(records, asks, {
          paint,
          nowMs: clock.wallMs(),
          isAll,
          columnsMax,
          ownAccounts: machineAccounts,
        }),
      );
      await io.stdout.write(paint.dim(formatFoot(place, isAll)));
    }
    if (source !== undefined) {
      const showAsks = createAskNews(context, {
        open: () => here.open(),
        read: (ask) => ask(),
        flag: place.flag,
        listed: asks,
      });
      // A gateway or a database that is not there now is no reason to leave: what waits here is shown all the same.
      const sources = {
        ...source,
        showAsks: (signal: AbortSignal) => showAsks(signal).catch(unlessGone),
      };
      await followApprovals(context, sources, records);
    }
    return codeStatus(exitOk);
  });
}

/* Refused, or not reached. */
function unlessGone(error: unknown): void {
  if (!(error instanceof CodedError)) throw error;
}

/* What lapses is written by nobody. A person who watches sees it this much later. */
const lapsedEveryMs = 5_000;

/* Woken by the registry. */
function openSource(
  { config, clock }: CommandContext,
  { store, gatekeeper }: Approvals,
): ApprovalSource & Disposable {
  let isNews = false;
  let wake = (): void => undefined;
  const stopWatching = store.watch(() => {
    isNews = true;
    wake();
  });
  return {
    name: `in ${config.stateDir}`,
    flag: flagHere(config),
    stateDir: config.stateDir,
    ownAccounts: machineAccounts,
    waiting: async () => readApprovals(gatekeeper, false),
    find: async (approvalId) => gatekeeper.wholeApproval(approvalId),
    changed: async (signal) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      if (isNews) resolve();
      isNews = false;
      const timer = clock.timer(lapsedEveryMs, resolve);
      const stop = onAbort(signal, resolve);
      await promise;
      timer.cancel();
      stop();
    },
    [Symbol.dispose]: stopWatching,
  };
}

/* Oldest first. What waits is read by itself, so that no number of decided ones hides it, and comes last, where a person looks. */
function readApprovals(gatekeeper: Gatekeeper, isAll: boolean): readonly ApprovalRecord[] {
  // What is allowed and not started waits as well: for the gateway that it was asked for at.
  const waiting = ['pending', 'allowed'] as const;
  const over = ['started', 'denied', 'expired', 'changed'] as const;
  return [
    ...gatekeeper.list({ states: waiting, limit: waitingMax }),
    ...(isAll ? gatekeeper.list({ states: over, limit: overMax }) : []),
  ]
    .flatMap(({ approvalId }) => gatekeeper.wholeApproval(approvalId) ?? [])
    .toReversed();
}
