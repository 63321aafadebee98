/*
 * `clf show`: everything about one run, a fact per line. Of one that has ended, why comes first, in the words of `clf wait`.
 */
import { requesterLabel } from '@clawdfather/supervisor/origins';
import { makeVisible } from '@clawdfather/tools/text';
import type { CallOf } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { withPlace } from '../place/open-place.ts';
import type { Place, Run, RunDetails } from '../place/place.ts';
import { formatEnd } from '../render/exit-text.ts';
import { factsOf } from '../render/run-facts.ts';
import { jsonLine, runJson } from '../render/run-json.ts';
import { findRun, shortId } from '../runs/find-run.ts';
import type { showSpec } from './specs.ts';

export async function execute(call: CallOf<typeof showSpec>): Promise<ExitStatus> {
  const { io, paint, operands } = call;
  return withPlace(call, async (place) => {
    const run = await withUse(place, await findRun(place, operands.run));
    const stall = (await place.stalls([run])).get(run.runId);
    const details = await place.details(run);
    if (call.isJson) {
      await io.stdout.write(jsonLine(runJson(run, { stall, details })));
      return codeStatus(exitOk);
    }
    const named = withNames(run, details.names ?? {});
    if (named.exit !== undefined) {
      await io.stdout.write(`Run ${shortId(run)} ${formatEnd(named.exit, run.deadlines)}.\n`);
    }
    const facts = factsOf({ run: named, details, stall, flag: place.flag });
    const width = Math.max(...facts.map(([name]) => name.length));
    for (const [name, value] of facts) {
      await io.stdout.write(`${paint.dim(name.padEnd(width))}  ${makeVisible(String(value))}\n`);
    }
    return codeStatus(exitOk);
  });
}

/* What it uses now, and whether somebody has stopped it, are seen only at its processes. */
async function withUse(place: Place, run: Run): Promise<Run> {
  if (run.treeEndedAtMs !== undefined) return run;
  const [now] = await place.list({ idPrefix: run.runId, limit: 1, withUse: true });
  return now ?? run;
}

/* `device:4f7t… (Ann’s phone)`: an id alone says nothing to a person. */
function withNames(run: Run, names: NonNullable<RunDetails['names']>): Run {
  const nameOf = (actor: string): string =>
    names[actor] === undefined ? actor : `${actor} (${names[actor]})`;
  const { labels, exit } = run;
  const requester = labels[requesterLabel];
  const treeEnd = exit?.treeEnd?.actor && { ...exit.treeEnd, actor: nameOf(exit.treeEnd.actor) };
  return {
    ...run,
    labels: requester === undefined ? labels : { ...labels, [requesterLabel]: nameOf(requester) },
    exit: exit && {
      ...exit,
      actor: exit.actor && nameOf(exit.actor),
      treeEnd: treeEnd || exit.treeEnd,
    },
  };
}
