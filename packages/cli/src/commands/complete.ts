/*
 * `clf __complete -- WORD …`: what a shell asks at every press of the Tab key. So it is quick, takes a glance at
 * the registry instead of opening it, and says nothing rather than something wrong. The answer's form is told in
 * completion/scripts.ts.
 */
import { nameLabel } from '@clawdfather/supervisor/origins';
import type { CallOf, CommandContext } from '../command.ts';
import { type Candidate, type Completed, completeWords } from '../completion/complete-words.ts';
import { loadConfig } from '../config.ts';
import { absolutePath } from '../config/settings.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { fitColumns, makeVisible } from '@clawdfather/tools/text';
import { shortIdChars } from '../runs/find-run.ts';
import { commands } from './table.ts';
import type { completeSpec } from './own-specs.ts';

/* More than anybody reads; the newest. */
const candidatesMax = 200;
const summaryColumnsMax = 60;

export async function execute(context: CallOf<typeof completeSpec>): Promise<ExitStatus> {
  const { words } = context.operands;
  const completed = completeWords(
    words,
    commands.map(({ spec }) => spec),
  );
  const current = words.at(-1) ?? '';
  const { what, candidates } = await answer(context, completed);
  const lines = candidates
    .map(({ value, summary }) => ({ value: completed.prefix + value, summary }))
    .filter(({ value }) => value.startsWith(current))
    .map(
      ({ value, summary }) => `${value}\t${fitColumns(makeVisible(summary), summaryColumnsMax)}`,
    );
  await context.io.stdout.write(`${[what, ...lines].join('\n')}\n`);
  return codeStatus(exitOk);
}

async function answer(
  context: CommandContext,
  completed: Completed,
): Promise<{ readonly what: string; readonly candidates: readonly Candidate[] }> {
  const { completion } = completed;
  switch (completion.kind) {
    case 'words':
      return { what: 'words', candidates: completion.candidates };
    case 'runs':
      return { what: 'words', candidates: await runs(context, completed, completion.isAliveOnly) };
    case 'approvals':
      return { what: 'words', candidates: await approvals(context, completed) };
    case 'files':
    case 'directories':
      return { what: completion.kind, candidates: [] };
    case 'program':
      return { what: `program ${completion.from}`, candidates: [] };
  }
}

/* Names first: they were chosen to be typed. */
async function runs(
  context: CommandContext,
  completed: Completed,
  isAliveOnly: boolean,
): Promise<Candidate[]> {
  const { glimpseRuns } = await import('@clawdfather/supervisor/peek');
  const stateDir = await stateDirOf(context, completed);
  const seen = glimpseRuns(stateDir, { isAliveOnly, limit: candidatesMax });
  const named = new Map<string, string>();
  for (const { labels, command } of seen) {
    const name = labels[nameLabel];
    if (name !== undefined && !named.has(name)) named.set(name, command);
  }
  return [
    ...[...named].map(([value, summary]) => ({ value, summary })),
    ...seen.map(({ runId, command }) => ({
      value: runId.slice(0, shortIdChars),
      summary: command,
    })),
  ];
}

async function approvals(context: CommandContext, completed: Completed): Promise<Candidate[]> {
  const { glimpseApprovals } = await import('@clawdfather/supervisor/peek');
  const seen = glimpseApprovals(await stateDirOf(context, completed), candidatesMax);
  return seen.map(({ approvalId, why }) => ({ value: approvalId, summary: why }));
}

async function stateDirOf(
  { caller, callSettings }: CommandContext,
  typed: Completed,
): Promise<string> {
  if (typed.stateDir !== undefined) return absolutePath(typed.stateDir, caller);
  const env =
    typed.config === undefined ? caller.env : { ...caller.env, CLAWDFATHER_CONFIG: typed.config };
  return (await loadConfig({ ...caller, env }, callSettings)).stateDir;
}
