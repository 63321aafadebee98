/*
 * `clf run`: the flags. They mirror what the supervisor can be asked for.
 */
import { pairsFlag, settingFlag, switchFlag, valueFlag } from '../args/flag.ts';
import { integer, someBytes, text, wholeSeconds } from '../args/kinds.ts';
import { operandList } from '../args/operand.ts';
import { commandLine, runName } from '../args/run-kinds.ts';
import { defineCommand } from '../args/spec.ts';
import { startFlags, startPlaceFlags } from './shared-flags.ts';

const count = integer({ min: 1, max: 2 ** 31 - 1 });

export const runSpec = defineCommand({
  name: 'run',
  summary: 'Start a command that goes on when this terminal closes',
  operands: { command: operandList(commandLine) },
  endsFlagsAtOperand: true,
  flags: {
    detach: switchFlag({ short: 'd', summary: 'print the run id and return; the run goes on' }),
    quiet: switchFlag({ short: 'q', summary: 'print only what the command prints' }),
    noStdin: switchFlag({
      short: 'n',
      summary: 'no input (/dev/null); needed inside a while-read loop',
    }),
    interactive: switchFlag({
      short: 'i',
      summary: 'with --detach: keep the input open for clf attach',
    }),
    ...startFlags,
    cleanEnv: switchFlag({ summary: 'start from a login environment instead of this one' }),
    timeout: settingFlag('run.timeout', {
      summary: 'end the run after this time, e.g. 30s, 1m30s, 2h',
    }),
    idleTimeout: settingFlag('run.idleTimeout', {
      summary: 'end the run when it prints nothing for this time',
    }),
    grace: settingFlag('run.grace', { summary: 'time between SIGTERM and SIGKILL (5s)' }),
    name: valueFlag(runName, { summary: 'a name, accepted wherever an id is' }),
    replace: switchFlag({ summary: 'first end what lives under this name, and wait for its end' }),
    label: pairsFlag({ short: 'l', summary: 'add a label; find it with clf ps --filter' }),
    session: valueFlag(text('ID'), { summary: 'the session that the run belongs to (cli)' }),
    leftovers: settingFlag('run.leftovers', {
      summary: 'what to do with processes that the command leaves behind (keep)',
    }),
    ownerLoss: settingFlag('run.ownerLoss', {
      summary: 'when this clf is killed (adopt: the run goes on; kill ends it, 15 s later)',
    }),
    shield: switchFlag({ summary: 'hide what agents may not reach, as around what they start' }),
    tools: switchFlag({ summary: 'for an agent: a shield, and in it clf mcp works' }),
    nice: valueFlag(integer({ min: -20, max: 19 }), {
      summary: 'scheduling priority, from -20 to 19',
    }),
    limitOpenFiles: valueFlag(count, { summary: 'open files of one process (RLIMIT_NOFILE)' }),
    limitCpu: valueFlag(wholeSeconds, {
      summary: 'cpu time of one process, in whole seconds (RLIMIT_CPU)',
    }),
    limitFileSize: valueFlag(someBytes, { summary: 'largest file it may write (RLIMIT_FSIZE)' }),
    limitMemory: valueFlag(someBytes, { summary: 'memory of the whole run; needs a cgroup' }),
    limitProcesses: valueFlag(count, { summary: 'processes of the whole run; needs a cgroup' }),
    journalMax: settingFlag('run.journalMax', {
      summary: 'keep at most this much output, the newest (1G)',
    }),
    ...startPlaceFlags,
  },
  glossary: [
    {
      title: 'Keys while you are with the run',
      words: {
        'Ctrl-] Ctrl-]': 'leaves it, and it goes on; clf attach comes back (setting: detachKey)',
        'Ctrl-C': 'goes to the command; without --pty a second one within 2 s ends the whole run',
        'Ctrl-Z': 'without --pty it stops the run and clf; fg continues both',
      },
    },
  ],
  examples: [
    'clf run -- make test',
    'clf run -d --name web -- npm run dev',
    'clf run -d --replace --name web -e PORT=8081 -- npm run dev',
    'clf run --pty -- vim notes.txt',
    'clf run --timeout 10m --idle-timeout 1m -- ./deploy.sh',
    'clf run --pty --tools -- claude',
    'clf run --host web -C /srv/app -- make deploy',
  ],
});
