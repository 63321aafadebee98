/*
 * The three commands about approvals, as data.
 */
import type { CommandSpec } from '../args/spec.ts';

const oneApproval = { min: 1, max: 1 };
const kinds = ['approval'] as const;

export const approvalsSpec: CommandSpec = {
  name: 'approvals',
  summary: 'List commands that wait for your decision',
  usage: '[flags]',
  operands: { min: 0, max: 0 },
  flags: [{ name: 'all', short: 'a', summary: 'decided and expired ones too' }],
  examples: ['clf approvals', 'clf approvals -a --json'],
};

export const allowSpec: CommandSpec = {
  name: 'allow',
  summary: 'Allow a command that waits, and start it',
  usage: '[flags] APPROVAL',
  operands: oneApproval,
  operandKinds: kinds,
  flags: [
    {
      name: 'always',
      summary: 'its programs need no approval from now on, whatever their arguments',
    },
  ],
  examples: ['clf allow 7q3', 'clf allow --always 7q3'],
};

export const denySpec: CommandSpec = {
  name: 'deny',
  summary: 'Deny a command that waits',
  usage: '[flags] APPROVAL',
  operands: oneApproval,
  operandKinds: kinds,
  flags: [{ name: 'reason', value: 'TEXT', summary: 'what the agent is told' }],
  examples: ['clf deny 7q3', 'clf deny --reason "use the staging host" 7q3'],
};
