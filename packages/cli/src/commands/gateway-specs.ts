/*
 * The commands that start, watch and end the gateway on this machine, as data.
 */
import type { CommandSpec, FlagSpec } from '../args/spec.ts';

const nothing = { min: 0, max: 0 };

export const serveFlags: readonly FlagSpec[] = [
  {
    name: 'listen',
    value: 'HOST:PORT',
    setting: 'gateway.listen',
    summary: 'where it listens (127.0.0.1:8420); elsewhere it needs TLS or a proxy',
  },
  {
    name: 'tls-cert',
    value: 'FILE',
    setting: 'gateway.tls.cert',
    summary: 'certificate with its chain, as PEM',
  },
  {
    name: 'tls-key',
    value: 'FILE',
    setting: 'gateway.tls.key',
    summary: 'its private key, as PEM, readable by nobody else',
  },
  {
    name: 'trusted-proxy',
    value: 'CIDR,…',
    setting: 'gateway.trustedProxies',
    summary: 'proxies that bring TLS and tell the client’s address',
  },
  {
    name: 'public-url',
    value: 'URL',
    setting: 'gateway.publicUrl',
    summary: 'the address that people use, where it is another one',
  },
];

export const serveSpec: CommandSpec = {
  name: 'serve',
  summary: 'Run the gateway: HTTP, WebSocket and MCP for phones, browsers and agents',
  usage: '[flags]',
  operands: nothing,
  flags: [
    ...serveFlags,
    {
      name: 'log',
      value: 'auto|json|pretty|off',
      setting: 'gateway.log',
      summary: 'its log on stderr (pretty on a terminal, json elsewhere)',
    },
    { name: 'no-qr', summary: 'do not draw the login link' },
  ],
  examples: [
    'clf serve',
    'clf serve --public-url https://clawd.example.org --trusted-proxy 10.0.0.7',
    'clf serve --listen 0.0.0.0:8420 --tls-cert cert.pem --tls-key key.pem --public-url https://my.host:8420',
  ],
};

export const statusSpec: CommandSpec = {
  name: 'status',
  summary: 'Show whether a gateway runs here, where, and how it is',
  usage: '[flags]',
  operands: nothing,
  flags: [
    { name: 'wait', value: 'TIME', summary: 'wait until it is ready, but no longer than this' },
    { name: 'quiet', short: 'q', summary: 'only the exit code: 0 when it is ready, else 1' },
  ],
  examples: ['clf status', 'clf status --json | jq .health.status', 'clf status -q --wait 30s'],
};

export const stopSpec: CommandSpec = {
  name: 'stop',
  summary: 'Stop the gateway of this machine; what runs goes on',
  usage: '[flags]',
  operands: { min: 0, max: undefined },
  flags: [{ name: 'close-sessions', summary: 'close the open sessions first, with all they run' }],
  examples: ['clf stop'],
};

const actions = 'clf service install | uninstall | status';
const scopeFlags: readonly FlagSpec[] = [
  { name: 'user', summary: 'for this user (usual, unless you are root)' },
  { name: 'system', summary: 'for the whole machine (usual for root)' },
];

export const serviceStatusSpec: CommandSpec = {
  name: 'service status',
  summary: 'Show whether systemd keeps a gateway running, and whether its unit is right',
  usage: '[flags]',
  operands: nothing,
  flags: scopeFlags,
  examples: [actions],
};

export const serviceInstallSpec: CommandSpec = {
  name: 'service install',
  summary: 'Let systemd keep the gateway running, so that an upgrade ends nothing',
  usage: '[flags]',
  operands: nothing,
  flags: [
    ...scopeFlags,
    ...serveFlags,
    { name: 'print', summary: 'only print the unit' },
    { name: 'no-start', summary: 'only write the unit' },
  ],
  examples: ['clf service install', 'clf service install --print'],
};

export const serviceUninstallSpec: CommandSpec = {
  name: 'service uninstall',
  summary: 'Stop it and remove the unit; what runs goes on',
  usage: '[flags]',
  operands: nothing,
  flags: scopeFlags,
  examples: [],
};

export const backupSpec: CommandSpec = {
  name: 'backup',
  summary: 'Copy the control database while everything goes on',
  usage: '[flags] FILE',
  operands: { min: 1, max: 1 },
  operandKinds: ['file'],
  flags: [
    { name: 'with-keys', summary: 'the master keys too, as FILE.keys; with both, all can be read' },
    { name: 'force', short: 'f', summary: 'replace FILE if it is there' },
  ],
  examples: ['clf backup ~/clawdfather.backup'],
};

export const restoreSpec: CommandSpec = {
  name: 'restore',
  summary: 'Put a backup in the place of the control database; the gateway must not run',
  usage: '[flags] FILE',
  operands: { min: 1, max: 1 },
  operandKinds: ['file'],
  flags: [{ name: 'check', summary: 'only look whether FILE could be restored' }],
  examples: ['clf restore --check ~/clawdfather.backup', 'clf restore ~/clawdfather.backup'],
};
