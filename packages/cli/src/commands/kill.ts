/*
 * `clf kill`: ends runs, leftovers included, and waits until they are gone; or
 * sends one signal and does not wait. Works on runs of any owner (O4).
 */
import type { RunExit } from '@clawdfather/supervisor';
import type { CallOf } from '../command.ts';
import { usageError } from '../errors.ts';
import { codeStatus, type ExitStatus } from '../exit-status.ts';
import { notForHost, signalsForHosts } from '../hosts/signals-for-hosts.ts';
import { withPlace } from '../place/open-place.ts';
import type { Place, Run } from '../place/place.ts';
import { formatExitShort, formatLeftoversEnd } from '../render/exit-text.ts';
import { exitJson } from '../render/run-json.ts';
import { isOnHost } from '../render/run-table.ts';
import { eachRun, type Told } from '../runs/each-run.ts';
import { hasLeftovers } from '../runs/find-run.ts';
import { runEnded } from '../runs/run-refusals.ts';
import type { killSpec } from './specs.ts';

export async function execute(call: CallOf<typeof killSpec>): Promise<ExitStatus> {
  const { signal, grace: graceMs } = call.flags;
  if (signal !== undefined && graceMs !== undefined) {
    throw usageError('--signal only sends a signal; it has no --grace');
  }
  return withPlace(call, async (place) =>
    codeStatus(
      await eachRun(call, { place, typed: call.operands.runs, isLiving: true }, async (run) => {
        if (signal !== undefined) return sendSignal(place, run, signal);
        const exit = await place.end(run, graceMs);
        return {
          text: `${run.runId} ${formatEnd(run, exit)}`,
          json: { id: run.runId, exit: exitJson(exit) },
        };
      }),
    ),
  );
}

/* `run` as it was before. One that was over keeps its end; what was ended now is what it had left. */
function formatEnd(run: Run, exit: RunExit): string {
  const how = formatExitShort(exit);
  if (hasLeftovers(run)) return `${how}, ${formatLeftoversEnd(exit) ?? 'leftovers ended'}`;
  return run.treeEndedAtMs === undefined ? how : `had already ended (${how})`;
}

async function sendSignal(place: Place, run: Run, signal: NodeJS.Signals): Promise<Told> {
  if (run.treeEndedAtMs !== undefined) throw runEnded(run, place.flag);
  if (isOnHost(run) && !signalsForHosts.has(signal)) throw notForHost(run, signal);
  await place.signal(run, signal);
  return { text: run.runId, json: { id: run.runId, signal } };
}
