/*
 * The three commands that list approvals and decide them: their flags and operands.
 */
import { switchFlag, valueFlag } from '../args/flag.ts';
import { text } from '../args/kinds.ts';
import { operand } from '../args/operand.ts';
import { approval } from '../args/run-kinds.ts';
import { defineCommand } from '../args/spec.ts';
import { placeFlags } from './shared-flags.ts';

export const approvalsSpec = defineCommand({
  name: 'approvals',
  summary: 'List commands that wait for your decision',
  operands: {},
  flags: {
    all: switchFlag({ short: 'a', summary: 'list decided and expired ones too' }),
    ...placeFlags,
  },
  examples: ['clf approvals', 'clf approvals -a --json'],
});

export const allowSpec = defineCommand({
  name: 'allow',
  summary: 'Allow a waiting command and start it',
  operands: { approval: operand(approval) },
  flags: {
    always: switchFlag({
      summary: 'allow its programs from now on without asking, with any arguments',
    }),
    ...placeFlags,
  },
  examples: ['clf allow 7q3', 'clf allow --always 7q3'],
});

export const denySpec = defineCommand({
  name: 'deny',
  summary: 'Deny a waiting command',
  operands: { approval: operand(approval) },
  flags: {
    reason: valueFlag(text('TEXT'), { summary: 'the reason that the agent is told' }),
    ...placeFlags,
  },
  examples: ['clf deny 7q3', 'clf deny --reason "use the staging host" 7q3'],
});
