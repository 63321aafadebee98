/*
 * `clf run`: the flags. They mirror what the supervisor can be asked for.
 */
import type { CommandSpec } from '../args/spec.ts';

export const runSpec: CommandSpec = {
  name: 'run',
  summary: 'Start a command, supervised; it outlives this terminal',
  usage: '[flags] [--] COMMAND [ARGUMENT …]',
  operands: { min: 1, max: undefined },
  operandKinds: ['program'],
  endsFlagsAtOperand: true,
  flags: [
    { name: 'detach', short: 'd', summary: 'print the run id and leave; the run goes on' },
    { name: 'pty', short: 't', summary: 'run on a terminal of its own' },
    { name: 'quiet', short: 'q', summary: 'say nothing but what the command says' },
    { name: 'no-stdin', short: 'n', summary: 'no input (/dev/null); needed in while-read loops' },
    {
      name: 'interactive',
      short: 'i',
      summary: 'with --detach: keep its input open for clf attach',
    },
    {
      name: 'timeout',
      value: 'TIME',
      setting: 'run.timeout',
      summary: 'end it after this long, e.g. 30s, 1m30s, 2h',
    },
    {
      name: 'idle-timeout',
      value: 'TIME',
      setting: 'run.idleTimeout',
      summary: 'end it when it says nothing for this long',
    },
    {
      name: 'grace',
      value: 'TIME',
      setting: 'run.grace',
      summary: 'between SIGTERM and SIGKILL (5s)',
    },
    { name: 'cwd', short: 'C', value: 'DIR', summary: 'its working directory (this one)' },
    {
      name: 'env',
      short: 'e',
      value: 'K=V',
      isRepeatable: true,
      summary: 'add to its environment; K alone takes the value from here',
    },
    { name: 'clean-env', summary: 'start from a login-like environment instead of this one' },
    { name: 'name', value: 'NAME', summary: 'call it so; usable wherever an id is' },
    {
      name: 'label',
      short: 'l',
      value: 'K=V',
      isRepeatable: true,
      summary: 'attach a label, see clf ps --filter',
    },
    { name: 'session', value: 'ID', summary: 'the session it belongs to (cli)' },
    {
      name: 'leftovers',
      value: 'keep|end|fail',
      setting: 'run.leftovers',
      summary: 'what becomes of processes it leaves behind (keep)',
    },
    {
      name: 'owner-loss',
      value: 'adopt|kill',
      setting: 'run.ownerLoss',
      summary: 'what happens when this clf is killed (adopt: it goes on)',
    },
    { name: 'nice', value: 'N', summary: 'scheduling priority, -20 … 19' },
    { name: 'limit-open-files', value: 'N', summary: 'RLIMIT_NOFILE' },
    { name: 'limit-cpu', value: 'TIME', summary: 'cpu time of one process (RLIMIT_CPU)' },
    { name: 'limit-file-size', value: 'SIZE', summary: 'largest file it may write (RLIMIT_FSIZE)' },
    { name: 'limit-memory', value: 'SIZE', summary: 'memory of the whole run; needs a cgroup' },
    { name: 'limit-processes', value: 'N', summary: 'processes of the run; needs a cgroup' },
    {
      name: 'journal-max',
      value: 'SIZE',
      setting: 'run.journalMax',
      summary: 'keep at most this much output, the newest (1G)',
    },
  ],
  examples: [
    'clf run -- make test',
    'clf run -d --name web -- npm run dev',
    'clf run --pty -- vim notes.txt',
    'clf run --timeout 10m --idle-timeout 1m -- ./deploy.sh',
  ],
};
