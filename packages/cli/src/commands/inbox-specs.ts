/*
 * The commands about what needs a person, and about how a person is told.
 */
import { switchFlag } from '../args/flag.ts';
import { defineCommand } from '../args/spec.ts';
import { gatewayFlags } from './shared-flags.ts';

export const inboxSpec = defineCommand({
  name: 'inbox',
  summary: 'What needs you at a gateway, what is done, and what is under way',
  operands: {},
  flags: gatewayFlags,
  examples: ['clf inbox', 'clf inbox --json | jq -r .title'],
});

export const noticesListSpec = defineCommand({
  name: 'notices ls',
  summary: 'List what you were told of, and on which channels',
  operands: {},
  flags: {
    ...gatewayFlags,
    open: switchFlag({ summary: 'only what still wants something' }),
  },
  examples: ['clf notices', 'clf notices ls --open'],
});

export const noticesTestSpec = defineCommand({
  name: 'notices test',
  summary: 'Send a test to every channel of the gateway’s settings, and say what came of it',
  operands: {},
  flags: gatewayFlags,
  examples: ['clf notices test'],
});
