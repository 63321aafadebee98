/*
 * The commands that look at runs, wait for them and end them. `run` is in run-spec.ts; what types into a run is in
 * tool-specs.ts.
 */
import { listFlag, settingFlag, switchFlag, valueFlag } from '../args/flag.ts';
import { choice, grace, integer, signal, timeLimit } from '../args/kinds.ts';
import { operand, operandList } from '../args/operand.ts';
import { livingRun, outputStart, run } from '../args/run-kinds.ts';
import { defineCommand } from '../args/spec.ts';
import { psGlossary } from '../render/table-words.ts';
import { runCriterion } from '../runs/run-criterion.ts';
import { sortOrders } from '../top/sort-rows.ts';
import { runPlaceFlags } from './shared-flags.ts';

export const psSpec = defineCommand({
  name: 'ps',
  aliases: ['ls', 'list'],
  summary: 'List runs',
  operands: {},
  flags: {
    all: switchFlag({ short: 'a', summary: 'list finished runs too' }),
    quiet: switchFlag({ short: 'q', summary: 'print only ids, one per line' }),
    filter: listFlag(runCriterion, {
      short: 'f',
      summary: 'state=, reason=, name=, session=, backend=, label=K=V; all must match',
    }),
    limit: valueFlag(integer({ min: 1, max: 100_000 }), {
      summary: 'at most this many, the newest (default: all living runs; 100 with -a)',
    }),
    ...runPlaceFlags,
  },
  glossary: psGlossary,
  examples: [
    'clf ps',
    'clf ps -g home',
    'clf ps --host web',
    'clf ps -a -f state=timeout',
    'clf ps -q | xargs -r clf kill',
  ],
});

export const logsSpec = defineCommand({
  name: 'logs',
  aliases: ['log'],
  summary: 'Show the output of a run',
  operands: { run: operand(run) },
  flags: {
    follow: switchFlag({ short: 'f', summary: 'go on with new output until the run ends' }),
    tail: valueFlag(integer({ min: 0, max: 1_000_000 }), {
      short: 'n',
      summary: 'only the last N lines',
    }),
    since: valueFlag(outputStart, {
      summary: 'only output after this cursor, or since a time: 10m ago, or 2026-11-16T12:00',
    }),
    cursor: switchFlag({ summary: 'print the cursor that was reached on stderr, for --since' }),
    stdout: switchFlag({ summary: 'only standard output' }),
    stderr: switchFlag({ summary: 'only standard error' }),
    timestamps: switchFlag({ short: 't', summary: 'begin each line with its time' }),
    ...runPlaceFlags,
  },
  glossary: [{ title: 'Keys', words: { 'Ctrl-C': 'leaves logs -f; the run goes on' } }],
  examples: ['clf logs web', 'clf logs -f --tail 20 web', 'clf logs --since 10m web'],
});

export const showSpec = defineCommand({
  name: 'show',
  summary: 'Show everything about one run',
  operands: { run: operand(run) },
  flags: runPlaceFlags,
  examples: ['clf show web', 'clf show --json web | jq .exit.reason'],
});

export const topSpec = defineCommand({
  name: 'top',
  summary: 'Watch the cpu, memory and output of runs, and why recent ones ended',
  operands: {},
  flags: {
    interval: settingFlag('top.interval', {
      short: 'i',
      summary: 'time between two updates (2s)',
    }),
    sort: valueFlag(choice(sortOrders), { short: 's', summary: 'what to sort by (cpu)' }),
    once: switchFlag({ short: '1', summary: 'print one table and exit' }),
    ...runPlaceFlags,
  },
  examples: ['clf top', 'clf top --once --sort memory', 'clf top --json | jq .runs[].cpuPercent'],
});

export const attachSpec = defineCommand({
  name: 'attach',
  summary: 'Connect this terminal to a run; Ctrl-] Ctrl-] detaches',
  operands: { run: operand(livingRun) },
  flags: {
    quiet: switchFlag({ short: 'q', summary: 'do not print the detach key' }),
    ...runPlaceFlags,
  },
  glossary: [
    {
      title: 'Keys',
      words: {
        'Ctrl-] Ctrl-]': 'detaches; the run goes on (setting: detachKey)',
        'Ctrl-C': 'goes to the command of a run that has a terminal; detaches from any other',
        'Ctrl-D': 'closes the input of a run that has no terminal',
      },
    },
  ],
  examples: ['clf attach web'],
});

export const waitSpec = defineCommand({
  name: 'wait',
  summary: 'Wait until runs end; exit with the code of the last one named',
  operands: { runs: operandList(livingRun) },
  flags: {
    timeout: valueFlag(timeLimit, { summary: 'wait at most this long (exit code 124)' }),
    ...runPlaceFlags,
  },
  examples: ['clf wait web', 'clf wait --json web | jq .exit.reason'],
});

export const killSpec = defineCommand({
  name: 'kill',
  isDestructive: true,
  summary: 'End runs with all their processes, or send them a signal',
  operands: { runs: operandList(livingRun) },
  flags: {
    grace: valueFlag(grace, {
      summary: 'time between SIGTERM and SIGKILL (default: as set for the run)',
    }),
    signal: valueFlag(signal, {
      short: 's',
      bareValue: /^(\d+|[A-Z][A-Z0-9]+)$/,
      summary: 'only send this signal and do not wait for the end; also -9, -KILL',
    }),
    ...runPlaceFlags,
  },
  examples: ['clf kill web', 'clf kill --grace 0 web', 'clf kill -s HUP web', 'clf kill -9 web'],
});

export const rmSpec = defineCommand({
  name: 'rm',
  isDestructive: true,
  summary: 'Remove finished runs and their output',
  operands: { runs: operandList(run) },
  flags: {
    force: switchFlag({ short: 'f', summary: 'end runs that are still alive first' }),
    ...runPlaceFlags,
  },
  examples: ['clf rm web', 'clf ps -aq -f state=exited | xargs -r clf rm'],
});

export const gcSpec = defineCommand({
  name: 'gc',
  isDestructive: true,
  summary: 'Remove finished runs that are old or too many',
  operands: {},
  flags: {
    explain: switchFlag({ summary: 'say for each run what happens to it and why' }),
    dryRun: switchFlag({ summary: 'only print what would be removed' }),
    olderThan: settingFlag('gc.olderThan', { summary: 'remove runs that ended longer ago (7d)' }),
    keep: settingFlag('gc.keep', { summary: 'keep at most this many, the newest (1000)' }),
    maxSize: settingFlag('gc.maxSize', { summary: 'keep at most this much output (10G)' }),
  },
  examples: ['clf gc --explain --dry-run'],
});
