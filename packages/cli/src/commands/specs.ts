/*
 * All commands but `run`, as data: names, flags, help.
 */
import type { CommandSpec } from '../args/spec.ts';

const oneRun = { min: 1, max: 1 };
const someRuns = { min: 1, max: undefined };
const anyRun = ['run'] as const;
const livingRun = ['living-run'] as const;

export const psSpec: CommandSpec = {
  name: 'ps',
  summary: 'List runs',
  usage: '[flags]',
  operands: { min: 0, max: 0 },
  flags: [
    { name: 'all', short: 'a', summary: 'finished ones too' },
    { name: 'quiet', short: 'q', summary: 'only ids, one per line' },
    {
      name: 'filter',
      short: 'f',
      value: 'KEY=VALUE',
      isRepeatable: true,
      suggestions: ['state=running', 'state=exited', 'reason=signal', 'reason=overall-timeout'],
      summary: 'state=, session=, backend=, reason=, name=, label=K=V; all must match',
    },
    {
      name: 'limit',
      value: 'N',
      summary: 'at most so many, the newest (all that live; 100 of -a)',
    },
  ],
  examples: ['clf ps', 'clf ps -a --filter reason=overall-timeout', 'clf kill $(clf ps -q)'],
};

export const logsSpec: CommandSpec = {
  name: 'logs',
  summary: 'Show what a run said',
  usage: '[flags] RUN',
  operands: oneRun,
  operandKinds: anyRun,
  flags: [
    { name: 'follow', short: 'f', summary: 'and what it says from now on, until it ends' },
    { name: 'tail', short: 'n', value: 'N', summary: 'only the last N lines' },
    { name: 'since', value: 'CURSOR', summary: 'only what came after this cursor' },
    { name: 'cursor', summary: 'print the position reached on stderr, for --since' },
    { name: 'stdout', summary: 'only its standard output' },
    { name: 'stderr', summary: 'only its standard error' },
    { name: 'timestamps', short: 't', summary: 'each line with its time' },
  ],
  examples: ['clf logs web', 'clf logs -f --tail 20 web', 'clf logs --cursor --since 2k.0 web'],
};

export const topSpec: CommandSpec = {
  name: 'top',
  summary: 'Watch runs: cpu, memory, output, and what ended lately of which cause',
  usage: '[flags]',
  operands: { min: 0, max: 0 },
  flags: [
    {
      name: 'interval',
      short: 'i',
      value: 'TIME',
      setting: 'top.interval',
      summary: 'time between two looks (2s)',
    },
    {
      name: 'sort',
      short: 's',
      value: 'cpu|memory|output|age|name',
      summary: 'what comes first (cpu)',
    },
    { name: 'once', short: '1', summary: 'look once and leave' },
  ],
  examples: ['clf top', 'clf top --once --sort memory', 'clf top --json | jq .runs[].cpuPercent'],
};

export const attachSpec: CommandSpec = {
  name: 'attach',
  summary: 'Take a run to this terminal; Ctrl-] Ctrl-] leaves it again',
  usage: '[flags] RUN',
  operands: oneRun,
  operandKinds: livingRun,
  flags: [{ name: 'quiet', short: 'q', summary: 'do not mention the detach key' }],
  examples: ['clf attach web'],
};

export const waitSpec: CommandSpec = {
  name: 'wait',
  summary: 'Wait until runs have ended; exit as the last one did',
  usage: '[flags] RUN …',
  operands: someRuns,
  operandKinds: livingRun,
  flags: [{ name: 'timeout', value: 'TIME', summary: 'wait no longer than this (exit code 124)' }],
  examples: ['clf wait web', 'clf wait --json web | jq .exit.reason'],
};

export const killSpec: CommandSpec = {
  name: 'kill',
  summary: 'End runs, whole trees of them, or send them a signal',
  usage: '[flags] RUN …',
  operands: someRuns,
  operandKinds: livingRun,
  flags: [
    { name: 'grace', value: 'TIME', summary: "from SIGTERM to SIGKILL (the run's own)" },
    { name: 'signal', short: 's', value: 'SIGNAL', summary: 'only send this signal, do not wait' },
  ],
  examples: ['clf kill web', 'clf kill --grace 0 web', 'clf kill -s HUP web'],
};

export const rmSpec: CommandSpec = {
  name: 'rm',
  summary: 'Forget finished runs, output included',
  usage: '[flags] RUN …',
  operands: someRuns,
  operandKinds: anyRun,
  flags: [{ name: 'force', short: 'f', summary: 'end those that are still alive first' }],
  examples: ['clf rm web', 'clf rm $(clf ps -aq --filter state=exited)'],
};

export const gcSpec: CommandSpec = {
  name: 'gc',
  summary: 'Remove finished runs that are old or too many',
  usage: '[flags]',
  operands: { min: 0, max: 0 },
  flags: [
    { name: 'explain', summary: 'say for each run what is done and on what evidence' },
    { name: 'dry-run', summary: 'only say it' },
    {
      name: 'older-than',
      value: 'TIME',
      setting: 'gc.olderThan',
      summary: 'those that ended before this (7d)',
    },
    {
      name: 'keep',
      value: 'N',
      setting: 'gc.keep',
      summary: 'keep this many, the newest (1000)',
    },
    {
      name: 'max-size',
      value: 'SIZE',
      setting: 'gc.maxSize',
      summary: 'keep this much output (10G)',
    },
  ],
  examples: ['clf gc --explain --dry-run'],
};

export const configSpec: CommandSpec = {
  name: 'config',
  summary: 'Show the settings and where each comes from, or check the file',
  usage: 'show [KEY …] | path | check | schema',
  operands: { min: 0, max: undefined },
  operandKinds: [['show', 'path', 'check', 'schema'], 'setting'],
  flags: [],
  examples: [
    'clf config show',
    'clf config show run.grace',
    '$EDITOR "$(clf config path)" && clf config check',
    'clf config schema > config.schema.json',
  ],
};

export const doctorSpec: CommandSpec = {
  name: 'doctor',
  summary: 'Check that everything is as it should be here',
  usage: '[flags]',
  operands: { min: 0, max: 0 },
  flags: [{ name: 'rebuild', summary: 'make the registry anew from the run directories' }],
  examples: ['clf doctor', 'clf doctor --json'],
};

export const completionSpec: CommandSpec = {
  name: 'completion',
  summary: 'Print what makes a shell complete commands, flags and runs',
  usage: 'bash|zsh|fish',
  operands: { min: 1, max: 1 },
  operandKinds: [['bash', 'zsh', 'fish']],
  flags: [],
  examples: [
    "echo 'source <(clf completion bash)' >> ~/.bashrc",
    "echo 'source <(clf completion zsh)' >> ~/.zshrc",
    'clf completion fish > ~/.config/fish/completions/clf.fish',
  ],
};

/* What those scripts call; not for people. */
export const completeSpec: CommandSpec = {
  name: '__complete',
  summary: 'Print completions of a command line',
  usage: '-- WORD …',
  operands: { min: 1, max: undefined },
  flags: [],
  examples: [],
};

export const versionSpec: CommandSpec = {
  name: 'version',
  summary: 'Show the version',
  usage: '',
  operands: { min: 0, max: 0 },
  flags: [],
  examples: [],
};

export const helpSpec: CommandSpec = {
  name: 'help',
  summary: 'Show help for a command',
  usage: '[COMMAND]',
  operands: { min: 0, max: 2 },
  operandKinds: ['command'],
  flags: [],
  examples: ['clf help run'],
};
