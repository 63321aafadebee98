/*
 * `clf runs …`: the runs of a gateway.
 */
import { listFlag, switchFlag, valueFlag } from '../args/flag.ts';
import { directory, grace, integer, pair, signal, text, timeLimit } from '../args/kinds.ts';
import { operand, operandList, optionalOperand, optionalOperandList } from '../args/operand.ts';
import { commandLine, cursor } from '../args/run-kinds.ts';
import { defineCommand } from '../args/spec.ts';
import { hostFlags } from './shared-flags.ts';

/* A run of a gateway, which completion does not ask. */
const remoteRun = text('RUN');

export const runsListSpec = defineCommand({
  name: 'runs ls',
  summary: 'List the runs of a gateway',
  operands: {},
  flags: {
    ...hostFlags,
    all: switchFlag({ short: 'a', summary: 'list finished runs too' }),
    quiet: switchFlag({ short: 'q', summary: 'print only ids, one per line' }),
    limit: valueFlag(integer({ min: 1, max: 10_000 }), {
      summary: 'at most this many, the newest (100)',
    }),
  },
  examples: ['clf runs ls', 'clf runs ls -a --host clawd.example.org'],
});

export const runsShowSpec = defineCommand({
  name: 'runs show',
  summary: 'Show one run of a gateway',
  operands: { run: operand(remoteRun) },
  flags: hostFlags,
  examples: ['clf runs show 9k8w'],
});

/* Of the commands that show output. */
const outputFlags = {
  tail: valueFlag(integer({ min: 0, max: 1_000_000 }), {
    short: 'n',
    summary: 'only the last N lines',
  }),
  cursor: switchFlag({ summary: 'print the cursor that was reached on stderr, for --since' }),
  timestamps: switchFlag({ short: 't', summary: 'begin each line with its time' }),
};

export const runsStartSpec = defineCommand({
  name: 'runs start',
  summary: 'Start a command at a gateway; it goes on when this terminal closes',
  usage: '[flags] [--] COMMAND [ARGUMENT …]  |  [flags] -c LINE',
  operands: { command: optionalOperandList(commandLine) },
  endsFlagsAtOperand: true,
  flags: {
    ...hostFlags,
    command: valueFlag(text('LINE'), { short: 'c', summary: 'run a shell line instead' }),
    pty: switchFlag({ short: 't', summary: 'give the command a terminal' }),
    cwd: valueFlag(directory, { short: 'C', summary: 'its directory at the gateway' }),
    env: listFlag(pair, { short: 'e', summary: 'set a variable for the command' }),
    timeout: valueFlag(timeLimit, { summary: 'end the run after this time (no limit)' }),
    follow: switchFlag({ short: 'f', summary: 'show its output and exit as it does' }),
  },
  examples: ['clf runs start -- make test', "clf runs start -f -c 'git pull && make'"],
});

export const runsLogsSpec = defineCommand({
  name: 'runs logs',
  summary: 'Show the output of a run of a gateway',
  operands: { run: operand(remoteRun) },
  flags: {
    ...hostFlags,
    follow: switchFlag({ short: 'f', summary: 'go on with new output until the run ends' }),
    since: valueFlag(cursor, { summary: 'only output after this cursor' }),
    ...outputFlags,
  },
  examples: ['clf runs logs -f 9k8w'],
});

export const runsInputSpec = defineCommand({
  name: 'runs input',
  summary: 'Send text, or our input, to a run of a gateway',
  operands: { run: operand(remoteRun), text: optionalOperand(text('TEXT | -')) },
  flags: { ...hostFlags, eof: switchFlag({ summary: 'close its input afterwards' }) },
  examples: ["clf runs input 9k8w $'yes\\n'", 'clf runs input --eof 9k8w < answers.txt'],
});

export const runsKillSpec = defineCommand({
  name: 'runs kill',
  summary: 'End runs of a gateway with all their processes, or send them a signal',
  operands: { runs: operandList(remoteRun) },
  flags: {
    ...hostFlags,
    grace: valueFlag(grace, { summary: 'time between SIGTERM and SIGKILL' }),
    signal: valueFlag(signal, { short: 's', summary: 'only send this signal' }),
  },
  examples: ['clf runs kill 9k8w'],
});

export const runsWaitSpec = defineCommand({
  name: 'runs wait',
  summary: 'Wait until runs of a gateway end; exit with the code of the last one named',
  operands: { runs: operandList(remoteRun) },
  flags: {
    ...hostFlags,
    timeout: valueFlag(timeLimit, { summary: 'wait at most this long (exit code 124)' }),
  },
  examples: ['clf runs wait 9k8w'],
});

export const runsRemoveSpec = defineCommand({
  name: 'runs rm',
  summary: 'Remove finished runs of a gateway and their output',
  operands: { runs: operandList(remoteRun) },
  flags: {
    ...hostFlags,
    force: switchFlag({ short: 'f', summary: 'end runs that are still alive first' }),
  },
  examples: ['clf runs rm 9k8w'],
});
