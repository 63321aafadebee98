/*
 * The commands about the queue of turns. A gateway has it.
 */
import { switchFlag, valueFlag } from '../args/flag.ts';
import { text } from '../args/kinds.ts';
import { operand, operandList, optionalOperandList } from '../args/operand.ts';
import { defineCommand } from '../args/spec.ts';
import { gatewayFlags } from './shared-flags.ts';

const turn = text('TURN', 'queued-turns');
const words = { ...text('TEXT'), listPlaceholder: 'TEXT' };

export const queueListSpec = defineCommand({
  name: 'queue ls',
  summary: 'List your turns that wait, in their order, and why they wait',
  operands: {},
  flags: {
    quiet: switchFlag({ short: 'q', summary: 'print only ids, one per line' }),
    ...gatewayFlags,
  },
  examples: ['clf queue', 'clf queue ls --json'],
});

export const queueMoveSpec = defineCommand({
  name: 'queue mv',
  summary: 'Move a turn that waits: before another one, to the front, or to the end',
  operands: { turn: operand(turn) },
  flags: {
    before: valueFlag(turn, { summary: 'directly before this one, with its priority' }),
    first: switchFlag({ summary: 'before all others of yours' }),
    last: switchFlag({ summary: 'behind all others of yours' }),
    ...gatewayFlags,
  },
  examples: ['clf queue mv 3k9q --first', 'clf queue mv 3k9q --before 7m2x'],
});

export const queueEditSpec = defineCommand({
  name: 'queue edit',
  summary: 'Say something else instead, in a turn that still waits',
  operands: { turn: operand(turn), words: optionalOperandList(words) },
  flags: gatewayFlags,
  examples: ['clf queue edit 3k9q "fix the tests, too"', 'clf queue edit 3k9q - < notes.txt'],
});

export const queueCancelSpec = defineCommand({
  name: 'queue cancel',
  isDestructive: true,
  summary: 'Take turns that wait out of the queue',
  operands: { turns: operandList(turn) },
  flags: gatewayFlags,
  examples: ['clf queue cancel 3k9q'],
});
