/*
 * The commands that do by hand what agents do over MCP: run a command, read a screen, type and paste.
 */
import { listFlag, settingFlag, switchFlag, valueFlag } from '../args/flag.ts';
import { choice, file, text } from '../args/kinds.ts';
import { operand, optionalOperand, optionalOperandList } from '../args/operand.ts';
import { commandLine, livingRun, run, terminalSize } from '../args/run-kinds.ts';
import { defineCommand } from '../args/spec.ts';
import { runPlaceFlags, startFlags, startPlaceFlags } from './shared-flags.ts';

const stricter = 'be stricter than the policy for this call';

export const execSpec = defineCommand({
  name: 'exec',
  summary: 'Run a command as agents do: wait for a while, then leave it in the background',
  usage: '[flags] [--] COMMAND [ARGUMENT …]  |  [flags] -c LINE',
  operands: { command: optionalOperandList(commandLine) },
  endsFlagsAtOperand: true,
  flags: {
    command: valueFlag(text('LINE'), { short: 'c', summary: 'run a shell line instead' }),
    join: switchFlag({ summary: 'make a shell line of the words, as ssh does' }),
    shell: valueFlag(file, { summary: 'the shell that runs LINE (/bin/sh)' }),
    ...startFlags,
    background: switchFlag({ short: 'b', summary: 'print the run id and return at once' }),
    yield: settingFlag('exec.yield', {
      summary: 'wait this long before leaving it in the background (10s)',
    }),
    timeout: settingFlag('exec.timeout', {
      summary: 'end the run after this time (30m, on a host 2m, with -b none), or none',
    }),
    idleTimeout: settingFlag('exec.idleTimeout', {
      summary: 'end the run when it prints nothing for this time',
    }),
    leftovers: settingFlag('exec.leftovers', {
      summary: 'what to do with processes that the command leaves behind (keep)',
    }),
    stdin: switchFlag({ short: 'i', summary: 'pass on all of our input, then close it' }),
    eof: switchFlag({
      summary: 'close the input; otherwise it stays open for clf send-keys and paste',
    }),
    security: valueFlag(choice(['full', 'allowlist', 'deny']), { summary: stricter }),
    ask: valueFlag(choice(['off', 'on-miss', 'always']), { summary: stricter }),
    ...startPlaceFlags,
  },
  examples: [
    'clf exec -- make test',
    "clf exec -c 'git log --oneline | head -3'",
    'clf exec -b --pty -- vim notes.txt',
    'clf exec --json --yield 1s -- npm run build',
  ],
});

export const sendKeysSpec = defineCommand({
  name: 'send-keys',
  summary: 'Type keys into a run: C-c, Enter, Up, F5, M-x …',
  operands: {
    run: operand(livingRun),
    keys: optionalOperandList(
      text('KEY', ['Enter', 'Tab', 'Esc', 'C-c', 'C-d', 'Up', 'Down', 'Left', 'Right']),
    ),
  },
  flags: {
    literal: valueFlag(text('TEXT'), {
      short: 'l',
      operandsBeforeMax: 1,
      summary: 'first type this text as it is',
    }),
    hex: listFlag(text('BYTE'), {
      short: 'H',
      operandsBeforeMax: 1,
      summary: 'then send this byte, e.g. 1b',
    }),
    ...runPlaceFlags,
  },
  examples: ["clf send-keys editor -l ':wq' Enter", 'clf send-keys web C-c', 'clf send-keys top q'],
});

export const pasteSpec = defineCommand({
  name: 'paste',
  summary: 'Paste text into a run, bracketed if the program asks for it',
  operands: { run: operand(livingRun), text: optionalOperand(text('TEXT | -')) },
  flags: runPlaceFlags,
  examples: ["clf paste editor 'two words'", 'git diff | clf paste editor'],
});

export const inputSpec = defineCommand({
  name: 'input',
  summary: 'Send text to the input of a run, byte for byte',
  operands: { run: operand(livingRun), text: optionalOperand(text('TEXT | -')) },
  flags: {
    eof: switchFlag({ summary: 'close the input after it' }),
    ...runPlaceFlags,
  },
  examples: ["clf input web 'yes\n'", 'clf input --eof importer < rows.csv'],
});

export const screenSpec = defineCommand({
  name: 'screen',
  summary: 'Show the screen of a run that has a terminal, and the place of its cursor',
  operands: { run: operand(run) },
  flags: { quiet: switchFlag({ short: 'q', summary: 'print only the screen' }), ...runPlaceFlags },
  examples: ['clf screen editor', 'clf screen --json editor | jq .cursor'],
});

export const resizeSpec = defineCommand({
  name: 'resize',
  summary: 'Change the size of the terminal of a run',
  operands: { run: operand(livingRun), size: operand(terminalSize, 'the size') },
  flags: runPlaceFlags,
  examples: ['clf resize editor 100x40'],
});
