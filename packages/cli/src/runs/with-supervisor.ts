/*
 * A supervisor for the length of one command, started directly (S3): shims are
 * our own children's children, so that this shell's limits and groups hold.
 *
 * Closing lets go of the runs and ends none of them (O1). Where nothing can be written, what only looks or ends goes on
 * over a copy of the registry, and says so.
 */
import { type CodedError, createJsonLog, silentLog } from '@clawdfather/kit';
import type { Supervisor, SupervisorDeps } from '@clawdfather/supervisor';
import { makeVisible } from '@clawdfather/tools/text';
import type { CommandContext } from '../command.ts';
import { retentionPolicyFrom } from '../config/retention-policy.ts';
import { formatBytes } from '../render/bytes.ts';
import { shortId } from './find-run.ts';
import { explainOpenFailure } from './open-failure.ts';

export type SupervisorExtras = Pick<SupervisorDeps, 'cgroupParent' | 'observer' | 'whenUnwritable'>;

/* Named in a warning: whoever fills a disk is among them. */
const largestMax = 2;
/* Less is not what fills a disk. */
const worthNamingBytes = 64 * 1024;

type Parts = Pick<CommandContext, 'clock' | 'random' | 'config' | 'io'>;

export async function withSupervisor<Result>(
  deps: Parts,
  use: (supervisor: Supervisor) => Promise<Result>,
  extras: SupervisorExtras = {},
): Promise<Result> {
  const supervisor = await openSupervisorHere(deps, { whenUnwritable: 'look', ...extras });
  const { unwritable } = supervisor;
  // A closed stderr is no reason to do nothing.
  if (unwritable !== undefined) {
    const hint = await spaceHint(supervisor, unwritable);
    await deps.io.stderr.write(formatUnwritable(unwritable, hint)).catch(() => {});
  }
  try {
    return await use(supervisor);
  } finally {
    await supervisor.close();
    if (unwritable !== undefined) await recordNow(deps);
  }
}

/* To be closed by the caller. */
export async function openSupervisorHere(
  deps: Parts,
  extras: SupervisorExtras,
): Promise<Supervisor> {
  // Imported here: help and version must not load a database.
  const { createSupervisor } = await import('@clawdfather/supervisor');
  const { clock, random, config, io } = deps;
  const log =
    config.logLevel === undefined
      ? silentLog
      : createJsonLog({
          clock,
          levelMin: config.logLevel,
          // A log that cannot be written is no reason to fail.
          write: (line) => void io.stderr.write(line).catch(() => {}),
        });
  return createSupervisor({
    stateDir: config.stateDir,
    launcher: 'direct',
    retention: retentionPolicyFrom(config),
    umask: config.umask,
    clock,
    random,
    log,
    ...extras,
  }).catch(async (error: unknown) => {
    throw await explainOpenFailure(error, config.stateDir);
  });
}

/*
 * What was ended or removed may have made room: a start that can write records ends and forgets what was removed. While it
 * still cannot, the next command or the gateway does.
 */
async function recordNow(deps: Parts): Promise<void> {
  // Why it still cannot is what the warning has said.
  const supervisor = await openSupervisorHere(deps, { whenUnwritable: 'refuse' }).catch(
    () => undefined,
  );
  await supervisor?.close();
}

/* What would help, by name: what gc would remove, and the largest of the runs that live. */
async function spaceHint(
  supervisor: Supervisor,
  { hint, detail }: CodedError,
): Promise<string | undefined> {
  if (detail['disk'] !== 'full') return hint;
  const { decisions, removed } = await supervisor.gc({ dryRun: true });
  const living = decisions
    .filter(({ evidence }) => evidence['state'] === 'live')
    .map(({ runId, evidence }) => ({ runId, bytes: Number(evidence['journalBytes']) }))
    .filter(({ bytes }) => bytes >= worthNamingBytes)
    .toSorted((one, other) => other.bytes - one.bytes)
    .slice(0, largestMax);
  const gain = `clf gc (${removed.runs} ended, ${formatBytes(removed.bytes)})`;
  const largest = living.map((run) => `${shortId(run)} holds ${formatBytes(run.bytes)}`);
  if (removed.runs + largest.length === 0) return `No run that lives holds much of it. ${hint}`;
  const ways = [
    ...(removed.runs === 0 ? [] : [gain]),
    ...(largest.length === 0 ? [] : [`clf kill RUN, clf rm -f RUN (${largest.join(', ')})`]),
  ];
  return `Make space: ${ways.join(', or ')}. All of these work now.`;
}

function formatUnwritable({ message }: CodedError, hint: string | undefined): string {
  const lines = [
    `clf: warning: ${makeVisible(message)}`,
    ...(hint === undefined ? [] : [`  ${makeVisible(hint)}`]),
    '  What is shown is read without writing. What ends or is removed is recorded as soon as the disk takes it.',
  ];
  return `${lines.join('\n')}\n`;
}
