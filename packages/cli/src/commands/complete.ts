/*
 * `clf __complete -- WORD …`: what a shell asks at every press of the Tab key. So it is quick, takes a glance at
 * the registry instead of opening it, and says nothing rather than something wrong. The answer's form is told in
 * completion/scripts.ts.
 */
import type { Clock } from '@clawdfather/kit';
import { nameLabel } from '@clawdfather/supervisor/origins';
import type { CallSettings } from '../args/parse.ts';
import type { CallOf, CommandContext } from '../command.ts';
import type { AskedWords, NamedThings, Patience, RunWord } from '../completion/at-gateway.ts';
import { type Candidate, type Completed, completeWords } from '../completion/complete-words.ts';
import { type Config, loadConfigOrUsual } from '../config.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { fitColumns, makeVisible } from '@clawdfather/tools/text';
import { findPlaceOf } from '../hosts/place-of-host.ts';
import { shortIdChars } from '../runs/find-run.ts';
import { findTarget, type Target } from '../sign-in/find-gateway.ts';
import { localName } from '../sign-in/local-name.ts';
import { readGateways } from '../sign-in/gateways-file.ts';
import { commands } from './table.ts';
import type { completeSpec } from './own-specs.ts';

/* More than anybody reads; the newest. */
const candidatesMax = 200;
const summaryColumnsMax = 60;

interface Answer {
  /* The first line. */
  readonly what: string;
  readonly candidates: readonly Candidate[];
  readonly isLate?: boolean;
}

export async function execute(context: CallOf<typeof completeSpec>): Promise<ExitStatus> {
  const { words } = context.operands;
  const completed = completeWords(
    words,
    commands.map(({ spec }) => spec),
  );
  const current = words.at(-1) ?? '';
  const { what, candidates, isLate = false } = await answer(context, completed);
  const lines = candidates
    .map(({ value, summary }) => ({ value: completed.prefix + value, summary }))
    .filter(({ value }) => value.startsWith(current))
    .map(
      ({ value, summary }) => `${value}\t${fitColumns(makeVisible(summary), summaryColumnsMax)}`,
    );
  await context.io.stdout.write(`${[what, ...lines].join('\n')}\n`);
  // Node cannot give up looking up a host's name, and the shell would wait until that is over.
  return isLate ? { kind: 'signal', signal: 'SIGTERM' } : codeStatus(exitOk);
}

async function answer(context: CommandContext, completed: Completed): Promise<Answer> {
  const { completion } = completed;
  switch (completion.kind) {
    case 'words':
      return { what: 'words', candidates: completion.candidates };
    case 'runs':
      return runs(context, completed, completion.isAliveOnly);
    case 'approvals':
      return approvals(context, completed);
    case 'rules':
      return rules(context, completed);
    case 'hosts':
    case 'keys':
    case 'sessions':
    case 'threads':
    case 'queued-turns':
    case 'agents':
      return names(context, completed, completion.kind);
    case 'gateways':
      return { what: 'words', candidates: gateways(context) };
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
): Promise<Answer> {
  const { words, isLate } = await wordsOf(context, completed, {
    here: async ({ stateDir }): Promise<readonly RunWord[]> => {
      const { glimpseRuns } = await import('@clawdfather/supervisor/peek');
      const seen = glimpseRuns(stateDir, { isAliveOnly, limit: candidatesMax });
      return seen.map(({ labels, ...run }) => ({ ...run, name: labels[nameLabel] }));
    },
    there: async (target, patience) => {
      const { askRuns } = await import('../completion/at-gateway.ts');
      return askRuns(patience, target, { isAliveOnly, host: completed.host });
    },
  });
  const named = new Map<string, string>();
  for (const { name, command } of words) {
    if (name !== undefined && !named.has(name)) named.set(name, command);
  }
  const candidates = [
    ...[...named].map(([value, summary]) => ({ value, summary })),
    ...words.map(({ runId, command }) => ({
      value: runId.slice(0, shortIdChars),
      summary: command,
    })),
  ];
  return { what: 'words', candidates, isLate };
}

async function approvals(context: CommandContext, completed: Completed): Promise<Answer> {
  const { words, isLate } = await wordsOf(context, completed, {
    here: async ({ stateDir }) => {
      const { glimpseApprovals } = await import('@clawdfather/supervisor/peek');
      return glimpseApprovals(stateDir, candidatesMax);
    },
    there: async (target, patience) => {
      const { askApprovals } = await import('../completion/at-gateway.ts');
      return askApprovals(patience, target);
    },
  });
  const candidates = words.map(({ approvalId, why }) => ({ value: approvalId, summary: why }));
  return { what: 'words', candidates, isLate };
}

async function rules(context: CommandContext, completed: Completed): Promise<Answer> {
  const { words, isLate } = await wordsOf(context, completed, {
    here: async ({ stateDir }) => {
      const { glimpseRules } = await import('@clawdfather/supervisor/peek');
      return glimpseRules(stateDir, candidatesMax);
    },
    there: async (target, patience) => {
      const { askRules } = await import('../completion/at-gateway.ts');
      return askRules(patience, target);
    },
  });
  const candidates = words.map(({ ruleId, program }) => ({ value: ruleId, summary: program }));
  return { what: 'words', candidates, isLate };
}

/* Only a gateway has them: the one that the command would ask. */
async function names(
  { caller, clock }: CommandContext,
  completed: Completed,
  what: NamedThings,
): Promise<Answer> {
  const config = await loadConfigOrUsual(caller, settingsOf(completed));
  const target = unlessUnreadable(() => findTarget({ config }), undefined);
  if (target === undefined) return { what: 'words', candidates: [] };
  const { askNames } = await import('../completion/at-gateway.ts');
  const { words, isLate } = await askNames(patienceOf(clock, config), target, what);
  return { what: 'words', candidates: words, isLate };
}

function gateways({ caller }: CommandContext): Candidate[] {
  return [
    ...unlessUnreadable(() => readGateways(caller), []).map(({ name, url }) => ({
      value: name,
      summary: url,
    })),
    { value: localName, summary: 'this machine' },
  ];
}

interface Sources<Word> {
  readonly here: (config: Config) => Promise<readonly Word[]>;
  readonly there: (target: Target, patience: Patience) => Promise<AskedWords<Word>>;
}

/* From where the command would look, as the line, the environment and the settings say. */
async function wordsOf<Word>(
  { caller, clock }: CommandContext,
  completed: Completed,
  { here, there }: Sources<Word>,
): Promise<AskedWords<Word>> {
  const config = await loadConfigOrUsual(caller, settingsOf(completed));
  const nothing = { words: [], isLate: false };
  const target = completed.takesGateway
    ? unlessUnreadable(() => findPlaceOf({ config, flags: completed }), 'unknown')
    : undefined;
  if (target === 'unknown') return nothing;
  if (target === undefined) return { ...nothing, words: await here(config) };
  return there(target, patienceOf(clock, config));
}

function patienceOf(clock: Clock, { values }: Config): Patience {
  return { clock, waitMs: values['completion.wait'] };
}

function settingsOf({ config, stateDir, gateway }: Completed): CallSettings {
  const typed = { stateDir, defaultGateway: gateway };
  return {
    configFile: config,
    settings: new Map(
      (['stateDir', 'defaultGateway'] as const).flatMap((key) => {
        const text = typed[key];
        return text === undefined ? [] : [[key, { name: key, text }]];
      }),
    ),
  };
}

/* A list of gateways that is not to be trusted, or a name that is not in it: the command itself will say so. */
function unlessUnreadable<Found, Instead>(find: () => Found, instead: Instead): Found | Instead {
  try {
    return find();
  } catch {
    return instead;
  }
}
