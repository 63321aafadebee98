/*
 * The commands that list approvals, decide them, and look back at what was allowed for ever: their flags and operands.
 */
import { switchFlag, valueFlag } from '../args/flag.ts';
import { text } from '../args/kinds.ts';
import { operandList } from '../args/operand.ts';
import { approval, rule } from '../args/run-kinds.ts';
import { defineCommand } from '../args/spec.ts';
import { placeFlags } from './shared-flags.ts';

/* Of what an agent asks. */
const option = valueFlag(text('OPTION'), {
  summary: 'answer what an agent asks by this option; clf approvals lists them',
});

export const approvalsSpec = defineCommand({
  name: 'approvals',
  summary: 'List what waits for your decision: commands, and what agents ask',
  operands: {},
  flags: {
    all: switchFlag({ short: 'a', summary: 'list decided and expired ones too' }),
    follow: switchFlag({
      short: 'f',
      summary: 'stay, and show what is asked and decided as it comes; Ctrl-C leaves',
    }),
    ...placeFlags,
  },
  examples: ['clf approvals', 'clf approvals -f', 'clf approvals -a --json'],
});

export const allowSpec = defineCommand({
  name: 'allow',
  summary: 'Allow waiting commands and start them, or what agents ask',
  operands: { approvals: operandList(approval) },
  flags: {
    always: switchFlag({
      summary: 'allow its programs from now on without asking, with any arguments',
    }),
    option,
    ...placeFlags,
  },
  examples: ['clf allow 7q3', 'clf allow 7q3 9xk', 'clf allow --always 7q3'],
});

export const denySpec = defineCommand({
  name: 'deny',
  summary: 'Deny waiting commands, or what agents ask',
  operands: { approvals: operandList(approval) },
  flags: {
    reason: valueFlag(text('TEXT'), { summary: 'the reason that the agent is told' }),
    option,
    ...placeFlags,
  },
  examples: ['clf deny 7q3', 'clf deny 7q3 9xk', 'clf deny --reason "use the staging host" 7q3'],
});

export const rulesListSpec = defineCommand({
  name: 'rules ls',
  summary: 'List programs that you allowed with allow --always',
  operands: {},
  flags: {
    all: switchFlag({ short: 'a', summary: 'list revoked ones too' }),
    ...placeFlags,
  },
  examples: ['clf rules', 'clf rules ls -a --json'],
});

export const rulesRemoveSpec = defineCommand({
  name: 'rules rm',
  summary: 'Revoke rules: their programs are asked about again',
  operands: { rules: operandList(rule) },
  flags: placeFlags,
  examples: ['clf rules rm av4e', 'clf rules rm touch'],
});
