/*
 * The three commands about approvals, as data.
 */
import type { CommandSpec, FlagSpec } from '../args/spec.ts';

const oneApproval = { min: 1, max: 1 };
const kinds = ['approval'] as const;

const hostFlag: FlagSpec = {
  name: 'host',
  value: 'NAME|URL',
  suggestions: ['local'],
  setting: 'host',
  summary: 'at this gateway, instead of on this machine',
};

export const approvalsSpec: CommandSpec = {
  name: 'approvals',
  summary: 'List commands that wait for your decision',
  usage: '[flags]',
  operands: { min: 0, max: 0 },
  flags: [{ name: 'all', short: 'a', summary: 'decided and expired ones too' }, hostFlag],
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
    hostFlag,
  ],
  examples: ['clf allow 7q3', 'clf allow --always 7q3'],
};

export const denySpec: CommandSpec = {
  name: 'deny',
  summary: 'Deny a command that waits',
  usage: '[flags] APPROVAL',
  operands: oneApproval,
  operandKinds: kinds,
  flags: [{ name: 'reason', value: 'TEXT', summary: 'what the agent is told' }, hostFlag],
  examples: ['clf deny 7q3', 'clf deny --reason "use the staging host" 7q3'],
};
