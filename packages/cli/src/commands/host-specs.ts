/*
 * The commands that talk to a gateway, here or elsewhere, as data.
 */
import type { Scope } from '@clawdfather/protocol/api';
import type { CommandSpec, FlagSpec } from '../args/spec.ts';

const nothing = { min: 0, max: 0 };
const oneRun = { min: 1, max: 1 };
const someRuns = { min: 1, max: undefined };

const hostFlag: FlagSpec = {
  name: 'host',
  value: 'NAME|URL',
  suggestions: ['local'],
  setting: 'host',
  summary: 'the gateway (the one of this machine)',
};

export const loginSpec: CommandSpec = {
  name: 'login',
  summary: 'Sign in to a gateway; on its own machine nothing has to be typed',
  usage: '[flags] [URL]',
  operands: { min: 0, max: 1 },
  flags: [
    { name: 'link', summary: 'only show a link, for a phone or a browser' },
    { name: 'link-file', value: 'FILE', summary: 'read the link or token from here; - is stdin' },
    { name: 'name', value: 'NAME', summary: 'what --host may call it (the name in its address)' },
    { name: 'no-qr', summary: 'do not draw the link' },
  ],
  examples: ['clf login', 'clf login --link', 'clf login https://clawd.example.org'],
};

export const logoutSpec: CommandSpec = {
  name: 'logout',
  summary: 'Sign out of a gateway',
  usage: '[flags] [NAME|URL]',
  operands: { min: 0, max: 1 },
  flags: [],
  examples: ['clf logout', 'clf logout clawd.example.org'],
};

export const runsListSpec: CommandSpec = {
  name: 'runs ls',
  summary: 'List the runs of a gateway',
  usage: '[flags]',
  operands: nothing,
  flags: [
    hostFlag,
    { name: 'all', short: 'a', summary: 'finished ones too' },
    { name: 'quiet', short: 'q', summary: 'only ids, one per line' },
    { name: 'limit', value: 'N', summary: 'at most so many, the newest (100)' },
  ],
  examples: ['clf runs ls', 'clf runs ls -a --host clawd.example.org'],
};

export const runsShowSpec: CommandSpec = {
  name: 'runs show',
  summary: 'Show one run of a gateway',
  usage: '[flags] RUN',
  operands: oneRun,
  flags: [hostFlag],
  examples: ['clf runs show 9k8w'],
};

export const runsStartSpec: CommandSpec = {
  name: 'runs start',
  summary: 'Start a command at a gateway; it goes on whatever becomes of this terminal',
  usage: '[flags] [--] COMMAND [ARGUMENT …]  |  [flags] -c LINE',
  operands: { min: 0, max: undefined },
  operandKinds: ['program'],
  endsFlagsAtOperand: true,
  flags: [
    hostFlag,
    { name: 'command', short: 'c', value: 'LINE', summary: 'a shell line, instead of a command' },
    { name: 'pty', short: 't', summary: 'run on a terminal of its own' },
    {
      name: 'cwd',
      short: 'C',
      value: 'DIR',
      summary: 'its directory over there (this one, on this machine)',
    },
    {
      name: 'env',
      short: 'e',
      value: 'K=V',
      isRepeatable: true,
      summary: 'add to its environment',
    },
    { name: 'timeout', value: 'TIME', summary: 'end it after this long (no limit)' },
    { name: 'follow', short: 'f', summary: 'stay, show what it says, and exit as it does' },
  ],
  examples: ['clf runs start -- make test', "clf runs start -f -c 'git pull && make'"],
};

export const runsLogsSpec: CommandSpec = {
  name: 'runs logs',
  summary: 'Show what a run of a gateway said',
  usage: '[flags] RUN',
  operands: oneRun,
  flags: [
    hostFlag,
    { name: 'follow', short: 'f', summary: 'and what it says from now on, until it ends' },
    { name: 'tail', short: 'n', value: 'N', summary: 'only the last N lines' },
    { name: 'since', value: 'CURSOR', summary: 'only what came after this cursor' },
    { name: 'cursor', summary: 'print the position reached on stderr, for --since' },
    { name: 'timestamps', short: 't', summary: 'each line with its time' },
  ],
  examples: ['clf runs logs -f 9k8w'],
};

export const runsInputSpec: CommandSpec = {
  name: 'runs input',
  summary: 'Send text, or our input, to a run of a gateway; it arrives once',
  usage: '[flags] RUN [TEXT | -]',
  operands: { min: 1, max: 2 },
  flags: [hostFlag, { name: 'eof', summary: 'end its input afterwards' }],
  examples: ["clf runs input 9k8w $'yes\\n'", 'clf runs input --eof 9k8w < answers.txt'],
};

export const runsKillSpec: CommandSpec = {
  name: 'runs kill',
  summary: 'End runs of a gateway, whole trees of them, or send them a signal',
  usage: '[flags] RUN …',
  operands: someRuns,
  flags: [
    hostFlag,
    { name: 'grace', value: 'TIME', summary: "from SIGTERM to SIGKILL (the run's own)" },
    { name: 'signal', short: 's', value: 'SIGNAL', summary: 'only send this signal, do not wait' },
  ],
  examples: ['clf runs kill 9k8w'],
};

export const runsWaitSpec: CommandSpec = {
  name: 'runs wait',
  summary: 'Wait until runs of a gateway have ended; exit as the last one did',
  usage: '[flags] RUN …',
  operands: someRuns,
  flags: [
    hostFlag,
    { name: 'timeout', value: 'TIME', summary: 'wait no longer than this (exit code 124)' },
  ],
  examples: ['clf runs wait 9k8w'],
};

export const runsRemoveSpec: CommandSpec = {
  name: 'runs rm',
  summary: 'Forget finished runs of a gateway, output included',
  usage: '[flags] RUN …',
  operands: someRuns,
  flags: [hostFlag, { name: 'force', short: 'f', summary: 'end those that are still alive first' }],
  examples: ['clf runs rm 9k8w'],
};

/* The table of endpoints has them too, and is too heavy for a command line that only completes a word. */
const scopes: readonly Scope[] = ['read', 'run', 'approve', 'admin'];

export const tokenListSpec: CommandSpec = {
  name: 'token ls',
  summary: 'List your tokens for programs, never the secrets',
  usage: '[flags]',
  operands: nothing,
  flags: [hostFlag],
  examples: ['clf token ls'],
};

export const tokenCreateSpec: CommandSpec = {
  name: 'token create',
  summary: 'Make a token for a program; it is shown this once',
  usage: '[flags] LABEL',
  operands: { min: 1, max: 1 },
  flags: [
    hostFlag,
    {
      name: 'scope',
      value: 'SCOPE,…',
      suggestions: scopes,
      summary: 'what it may do: read, run, approve, admin (read)',
    },
  ],
  examples: ['clf token create --scope read,run ci'],
};

export const tokenRevokeSpec: CommandSpec = {
  name: 'token revoke',
  summary: 'Revoke a token; what is open with it closes within a second',
  usage: '[flags] LABEL|ID',
  operands: { min: 1, max: 1 },
  flags: [hostFlag],
  examples: ['clf token revoke ci'],
};

export const devicesListSpec: CommandSpec = {
  name: 'devices ls',
  summary: 'List the devices that are signed in to your account',
  usage: '[flags]',
  operands: nothing,
  flags: [hostFlag],
  examples: ['clf devices'],
};

export const devicesRevokeSpec: CommandSpec = {
  name: 'devices revoke',
  summary: 'Sign out a device, or all but this one',
  usage: '[flags] ID | --others',
  operands: { min: 0, max: 1 },
  flags: [hostFlag, { name: 'others', summary: 'all devices but this one' }],
  examples: ['clf devices revoke 4f7t', 'clf devices revoke --others'],
};

export const auditSpec: CommandSpec = {
  name: 'audit',
  summary: 'Show who did what in your account',
  usage: '[flags]',
  operands: nothing,
  flags: [
    hostFlag,
    { name: 'follow', short: 'f', summary: 'and what is done from now on' },
    { name: 'action', value: 'ACTION', summary: 'only this, such as run.start' },
    { name: 'limit', short: 'n', value: 'N', summary: 'at most so many, the newest (20)' },
  ],
  examples: ['clf audit', 'clf audit -f --action run.start --json'],
};
