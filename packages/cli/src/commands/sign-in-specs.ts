/*
 * The commands that talk to a gateway, on this machine or elsewhere.
 */
import type { Scope } from '@clawdfather/protocol/api';
import { switchFlag, valueFlag } from '../args/flag.ts';
import { choices, file, integer, text } from '../args/kinds.ts';
import { operand, optionalOperand } from '../args/operand.ts';
import { defineCommand } from '../args/spec.ts';
import { gatewayFlags } from './shared-flags.ts';

export const loginSpec = defineCommand({
  name: 'login',
  summary: 'Sign in to a gateway; on its own machine you need no password or link',
  operands: { url: optionalOperand(text('URL')) },
  flags: {
    link: switchFlag({ summary: 'only show a login link, for a phone or a browser' }),
    linkFile: valueFlag(file, { summary: 'read the link or token from this file; - is stdin' }),
    name: valueFlag(text('NAME'), {
      summary: 'the name for -g (default: the host name in its address)',
    }),
    noDefault: switchFlag({ summary: 'do not make it the gateway that commands are about' }),
    noQr: switchFlag({ summary: 'do not draw the link as a QR code' }),
  },
  examples: ['clf login', 'clf login --link', 'clf login https://clawd.example.org'],
});

export const logoutSpec = defineCommand({
  name: 'logout',
  isDestructive: true,
  summary: 'Sign out of a gateway',
  operands: { gateway: optionalOperand(text('NAME|URL', 'gateways')) },
  flags: {},
  examples: ['clf logout', 'clf logout clawd.example.org'],
});

/* The table of endpoints has them too, and is too heavy for a command line that only completes a word. */
const scopes: readonly Scope[] = ['read', 'run', 'approve', 'admin'];

export const tokenListSpec = defineCommand({
  name: 'token ls',
  summary: 'List your tokens for programs, without their secrets',
  operands: {},
  flags: gatewayFlags,
  examples: ['clf token ls'],
});

export const tokenCreateSpec = defineCommand({
  name: 'token create',
  summary: 'Create a token for a program; it is shown only once',
  operands: { label: operand(text('LABEL')) },
  flags: {
    ...gatewayFlags,
    scope: valueFlag(choices('SCOPE', scopes), {
      summary: 'what it may do: read, run, approve, admin (read)',
    }),
  },
  examples: ['clf token create --scope read,run ci'],
});

export const tokenRevokeSpec = defineCommand({
  name: 'token revoke',
  isDestructive: true,
  summary: 'Revoke a token; its open connections close within a second',
  operands: { token: operand(text('LABEL|ID')) },
  flags: gatewayFlags,
  examples: ['clf token revoke ci'],
});

export const devicesListSpec = defineCommand({
  name: 'devices ls',
  summary: 'List the devices that are signed in to your account',
  operands: {},
  flags: gatewayFlags,
  examples: ['clf devices'],
});

export const devicesRevokeSpec = defineCommand({
  name: 'devices revoke',
  isDestructive: true,
  summary: 'Sign out one device, or all but this one',
  usage: '[flags] ID | --others',
  operands: { device: optionalOperand(text('ID')) },
  flags: { ...gatewayFlags, others: switchFlag({ summary: 'all devices but this one' }) },
  examples: ['clf devices revoke 4f7t', 'clf devices revoke --others'],
});

export const auditSpec = defineCommand({
  name: 'audit',
  summary: 'Show who did what in your account',
  operands: { run: optionalOperand(text('RUN')) },
  flags: {
    ...gatewayFlags,
    follow: switchFlag({ short: 'f', summary: 'go on with new entries' }),
    action: valueFlag(text('ACTION'), { summary: 'only this action, such as run.start' }),
    limit: valueFlag(integer({ min: 1, max: 10_000 }), {
      short: 'n',
      summary: 'at most this many, the newest (20)',
    }),
  },
  examples: ['clf audit', 'clf audit web', 'clf audit -f --action run.start --json'],
});
