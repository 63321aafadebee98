/*
 * The commands about SSH hosts, the keys to them, and sessions on them. A gateway does all of it.
 */
import { switchFlag, valueFlag } from '../args/flag.ts';
import { choice, text } from '../args/kinds.ts';
import { operand, optionalOperand } from '../args/operand.ts';
import { defineCommand } from '../args/spec.ts';
import { hostTarget } from '../hosts/host-target.ts';
import { gatewayFlags } from './shared-flags.ts';

const hostName = text('NAME', 'hosts');
const keyName = text('KEY', 'keys');

export const hostListSpec = defineCommand({
  name: 'host ls',
  summary: 'List your SSH hosts, and what the last test of each said',
  operands: {},
  flags: gatewayFlags,
  examples: ['clf host ls'],
});

export const hostShowSpec = defineCommand({
  name: 'host show',
  summary: 'Show one host: its address, its key, its host key, its last test',
  operands: { host: operand(hostName) },
  flags: gatewayFlags,
  examples: ['clf host show web'],
});

export const hostAddSpec = defineCommand({
  name: 'host add',
  summary: 'Add an SSH host: install the key, test, and decide about its host key',
  operands: { name: operand(text('NAME')), target: operand(hostTarget) },
  flags: {
    ...gatewayFlags,
    key: valueFlag(keyName, { summary: 'the key to use (default: the only one, or a new one)' }),
  },
  examples: ['clf host add web deploy@web.example.org', 'clf host add db root@10.0.0.7:2222'],
});

export const hostTestSpec = defineCommand({
  name: 'host test',
  summary: 'Log in to a host once, and say what happened; exits 1 unless it worked',
  operands: { host: operand(hostName) },
  flags: {
    ...gatewayFlags,
    acceptHostKey: switchFlag({
      summary: 'trust whatever key the host shows; clf host trust shows it first',
    }),
  },
  examples: ['clf host test web', 'clf host test web --json | jq -r .result'],
});

export const hostTrustSpec = defineCommand({
  name: 'host trust',
  summary: 'Show the key of a host, and trust it if you say so',
  operands: {
    host: operand(hostName),
    fingerprint: optionalOperand(text('FINGERPRINT')),
  },
  flags: gatewayFlags,
  examples: ['clf host trust web', 'clf host trust web SHA256:jMZQ…'],
});

export const hostPolicySpec = defineCommand({
  name: 'host policy',
  summary: 'Say whether you are asked about what agents run on a host: ask, or full (never)',
  operands: { host: operand(hostName), policy: operand(choice(['ask', 'full'])) },
  flags: gatewayFlags,
  examples: ['clf host policy web full', 'clf host policy web ask'],
});

export const hostRemoveSpec = defineCommand({
  name: 'host rm',
  isDestructive: true,
  summary: 'Remove a host; its key stays in its authorized_keys',
  operands: { host: operand(hostName) },
  flags: gatewayFlags,
  examples: ['clf host rm web'],
});

export const keyListSpec = defineCommand({
  name: 'key ls',
  summary: 'List your keys for SSH hosts; private halves never leave the gateway',
  operands: {},
  flags: gatewayFlags,
  examples: ['clf key ls'],
});

export const keyCreateSpec = defineCommand({
  name: 'key create',
  summary: 'Make a key at the gateway',
  operands: { label: operand(text('LABEL')) },
  flags: gatewayFlags,
  examples: ['clf key create work'],
});

export const keyShowSpec = defineCommand({
  name: 'key show',
  summary: 'Show a key, with the hosts that it is for',
  operands: { key: optionalOperand(keyName) },
  flags: {
    ...gatewayFlags,
    public: switchFlag({ summary: 'only the public key, as a line of authorized_keys' }),
  },
  examples: ['clf key show', 'clf key show --public work >> authorized_keys'],
});

export const keyInstallSpec = defineCommand({
  name: 'key install-command',
  summary: 'Print what to run on a host so that it accepts a key',
  operands: { key: optionalOperand(keyName) },
  flags: gatewayFlags,
  examples: ['clf key install-command', 'clf key install-command | ssh deploy@web sh'],
});

export const keyRotateSpec = defineCommand({
  name: 'key rotate',
  isDestructive: true,
  summary: 'Replace a key; each host keeps the old one until a test proves the new one',
  operands: { key: optionalOperand(keyName) },
  flags: gatewayFlags,
  examples: ['clf key rotate work'],
});

export const keyRotateMasterSpec = defineCommand({
  name: 'key rotate-master',
  isDestructive: true,
  summary: 'Make a new master key on the gateway’s machine; stored keys move to it with use',
  operands: {},
  flags: {},
  examples: ['clf key rotate-master'],
});

export const keyRevokeSpec = defineCommand({
  name: 'key revoke',
  isDestructive: true,
  summary: 'Revoke a key and erase its private half',
  operands: { key: operand(keyName) },
  flags: {
    ...gatewayFlags,
    force: switchFlag({ short: 'f', summary: 'also while sessions use it; they are closed' }),
  },
  examples: ['clf key revoke work', 'clf key revoke -f work'],
});

export const sessionListSpec = defineCommand({
  name: 'session ls',
  summary: 'List open sessions; -a: closed ones too, the newest 100',
  operands: {},
  flags: { ...gatewayFlags, all: switchFlag({ short: 'a', summary: 'closed ones too' }) },
  examples: ['clf session ls'],
});

export const sessionStartSpec = defineCommand({
  name: 'session start',
  summary: 'Open a session on a host, or without a name on the gateway’s own machine',
  operands: { host: optionalOperand(hostName) },
  flags: gatewayFlags,
  examples: ['clf session start web'],
});

export const sessionCloseSpec = defineCommand({
  name: 'session close',
  isDestructive: true,
  summary: 'Close a session, by its id or its host, and end what runs in it',
  operands: { session: operand(text('SESSION|NAME', 'sessions')) },
  flags: gatewayFlags,
  examples: ['clf session close 4f7t', 'clf session close web'],
});
