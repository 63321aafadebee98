/*
 * The commands that do by hand what agents do over MCP, as data.
 */
import type { CommandSpec } from '../args/spec.ts';

const aTerminal = 'a run on a terminal';

export const execSpec: CommandSpec = {
  name: 'exec',
  summary: 'Run a command as agents do: wait a while, then let it go on in the background',
  usage: '[flags] [--] COMMAND [ARGUMENT …]  |  [flags] -c LINE',
  operands: { min: 0, max: undefined },
  operandKinds: ['program'],
  endsFlagsAtOperand: true,
  flags: [
    { name: 'command', short: 'c', value: 'LINE', summary: 'a shell line, instead of a command' },
    { name: 'shell', value: 'FILE', summary: 'the shell that reads LINE (/bin/sh)' },
    { name: 'pty', short: 't', summary: 'run on a terminal of its own' },
    { name: 'background', short: 'b', summary: 'print the run id and leave; the run goes on' },
    {
      name: 'yield',
      value: 'TIME',
      setting: 'exec.yield',
      summary: 'wait this long before it goes to the background (10s)',
    },
    {
      name: 'timeout',
      value: 'TIME',
      setting: 'exec.timeout',
      summary: 'end it after this long (30m); none for no limit',
    },
    {
      name: 'idle-timeout',
      value: 'TIME',
      setting: 'exec.idleTimeout',
      summary: 'end it when it says nothing for this long',
    },
    {
      name: 'leftovers',
      value: 'keep|end|fail',
      setting: 'exec.leftovers',
      summary: 'what becomes of processes it leaves behind (keep)',
    },
    { name: 'cwd', short: 'C', value: 'DIR', summary: 'its working directory (this one)' },
    {
      name: 'env',
      short: 'e',
      value: 'K=V',
      isRepeatable: true,
      summary: 'add to its environment; K alone takes the value from here',
    },
    { name: 'stdin', short: 'i', summary: 'give it all of our input, with its end' },
    { name: 'eof', summary: 'no input; otherwise it stays open for clf send-keys and paste' },
    {
      name: 'security',
      value: 'full|allowlist|deny',
      summary: 'make the policy stricter for this call',
    },
    { name: 'ask', value: 'off|on-miss|always', summary: 'make the policy stricter for this call' },
  ],
  examples: [
    'clf exec -- make test',
    "clf exec -c 'git log --oneline | head -3'",
    'clf exec -b --pty -- vim notes.txt',
    'clf exec --json --yield 1s -- npm run build',
  ],
};

export const sendKeysSpec: CommandSpec = {
  name: 'send-keys',
  summary: 'Type keys into a run: C-c, Enter, Up, F5, M-x …',
  usage: '[flags] RUN [KEY …]',
  operands: { min: 1, max: undefined },
  operandKinds: [
    'living-run',
    ['Enter', 'Tab', 'Esc', 'C-c', 'C-d', 'Up', 'Down', 'Left', 'Right'],
  ],
  flags: [
    { name: 'literal', short: 'l', value: 'TEXT', summary: 'first type this text as it is' },
    {
      name: 'hex',
      short: 'H',
      value: 'BYTE',
      isRepeatable: true,
      summary: 'then send this byte, e.g. 1b',
    },
  ],
  examples: ["clf send-keys editor -l ':wq' Enter", 'clf send-keys web C-c', 'clf send-keys top q'],
};

export const pasteSpec: CommandSpec = {
  name: 'paste',
  summary: 'Paste text into a run, bracketed where the program asked for it',
  usage: '[flags] RUN [TEXT | -]',
  operands: { min: 1, max: 2 },
  operandKinds: ['living-run', []],
  flags: [],
  examples: ["clf paste editor 'two words'", 'git diff | clf paste editor'],
};

export const screenSpec: CommandSpec = {
  name: 'screen',
  summary: `Show what is on the screen of ${aTerminal}, and where its cursor is`,
  usage: '[flags] RUN',
  operands: { min: 1, max: 1 },
  operandKinds: ['run'],
  flags: [{ name: 'quiet', short: 'q', summary: 'only the screen' }],
  examples: ['clf screen editor', 'clf screen --json editor | jq .cursor'],
};

export const resizeSpec: CommandSpec = {
  name: 'resize',
  summary: `Give ${aTerminal} another size`,
  usage: '[flags] RUN COLSxROWS',
  operands: { min: 2, max: 2 },
  operandKinds: ['living-run', ['80x24', '120x30']],
  flags: [],
  examples: ['clf resize editor 100x40'],
};
