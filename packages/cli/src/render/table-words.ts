/*
 * Every word that the table of `clf ps` can show, with its meaning, for the help page. The words themselves come from where they
 * are made: a new state, stall or end does not compile until it is explained here.
 */
import type { RunState, Stall } from '@clawdfather/supervisor';
import type { Glossary } from '../args/spec.ts';
import type { endWords } from './exit-text.ts';

const columns = {
  ID: 'the beginning of its id; RUN may be this, or less if it is unique',
  NAME: 'what --name gave it',
  HOST: 'the SSH host that it runs on, or local: where some run on a host',
  STATE: 'how it stands, or how it ended: see below',
  AGE: 'when it was created',
  TIME: 'how long it has been running, or ran',
  CPU: 'processor time of all its processes so far',
  MEM: 'memory of all its processes now; of a finished run the most that one of them had',
  COMMAND: 'what was started',
} as const;

const living: Readonly<Record<Exclude<RunState, 'exited'> | 'stopped' | 'held', string>> = {
  held: 'waits for a decision and has not started (at a gateway): clf approvals',
  starting: 'is being started',
  running: 'its command runs',
  stopped: 'its command was stopped by a signal, Ctrl-Z say; clf kill -s CONT continues it',
  exiting: 'was told to end, and something of it still lives',
};

const standing: Readonly<Record<`stalled: ${Spaced<Stall>}`, string>> = {
  'stalled: disk full': 'stands still until there is room for its output',
  'stalled: disk failing': 'stands still because the disk refuses its output',
  'stalled: not consumed': 'stands still until its reader has read what it said',
};

const ends: Readonly<Record<(typeof endWords)[keyof typeof endWords], string>> = {
  timeout: 'reached its time limit (--timeout)',
  'idle timeout': 'said nothing for too long (--idle-timeout)',
  cancelled: 'somebody ended it: clf kill, Ctrl-C twice, an agent',
  'not started': 'its program is missing or cannot be executed, or its start was lost',
  'left processes': 'left processes behind, which were ended (--leftovers fail)',
  'owner lost': 'the clf that started it was killed (--owner-loss kill)',
  'out of memory': 'the kernel killed it for want of memory',
  'host rebooted': 'the machine was restarted',
  'container gone': 'its container was restarted',
  'shim died': 'the process that holds it was killed or crashed: clf show RUN tells more',
};

export const psGlossary: readonly Glossary[] = [
  { title: 'Columns', words: columns },
  { title: 'STATE of a run that lives', words: { ...living, ...standing } },
  {
    title: 'STATE of a run that has ended (clf ps -a)',
    words: {
      ok: 'its command ended with code 0',
      'exit N': 'its command ended with code N',
      SIGNAME: 'this signal ended its command: SIGKILL, SIGSEGV …',
      ...ends,
      '…, leftovers': 'and processes that it started live on; clf kill ends them',
      '…, output lost': 'and the disk did not take what it said last: clf show RUN tells how much',
    },
  },
];

type Spaced<Text extends string> = Text extends `${infer Left}-${infer Right}`
  ? `${Left} ${Right}`
  : Text;
