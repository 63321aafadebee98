/*
 * The commands that start, watch and end the gateway on this machine, and keep its database safe.
 */
import { settingFlag, switchFlag, valueFlag } from '../args/flag.ts';
import { directory, duration, file, text } from '../args/kinds.ts';
import { operand, optionalOperandList } from '../args/operand.ts';
import { defineCommand } from '../args/spec.ts';

/* Where the gateway listens. `service install` writes them into the unit. */
export const serveFlags = {
  listen: settingFlag('gateway.listen', {
    summary: 'address to listen on (127.0.0.1:8420); other machines need TLS or a proxy',
  }),
  tlsCert: settingFlag('gateway.tls.cert', {
    placeholder: 'FILE',
    summary: 'certificate with its chain, as PEM',
  }),
  tlsKey: settingFlag('gateway.tls.key', {
    placeholder: 'FILE',
    summary: 'private key, as PEM; only you may read the file',
  }),
  trustedProxy: settingFlag('gateway.trustedProxies', {
    summary: 'proxies that add TLS and report the address of the client',
  }),
  publicUrl: settingFlag('gateway.publicUrl', {
    summary: 'the address that people use, if it is not the one listened on',
  }),
  directory: settingFlag('gateway.directory', {
    short: 'C',
    placeholder: 'DIR',
    summary: 'where commands run that name no directory; what agents read unasked',
  }),
};

const listenInstead = 'Write address and port together: --listen 127.0.0.1:8420';

export const serveSpec = defineCommand({
  name: 'serve',
  foreignFlags: {
    '--port': listenInstead,
    '-p': listenInstead,
    '--host': listenInstead,
    '--bind': listenInstead,
  },
  summary: 'Run the gateway: HTTP, WebSocket and MCP for phones, browsers and agents',
  operands: {},
  flags: {
    ...serveFlags,
    log: settingFlag('gateway.log', {
      summary: 'form of the log on stderr (pretty on a terminal, json elsewhere)',
    }),
    acceptLostKeys: switchFlag({
      summary: 'start although master keys are gone; SSH keys they encrypted stay unreadable',
    }),
    noQr: switchFlag({ summary: 'do not draw the login link as a QR code' }),
  },
  examples: [
    'clf serve',
    'clf serve --directory ~/project',
    'clf serve --public-url https://clawd.example.org --trusted-proxy 10.0.0.7',
    'clf serve --listen 0.0.0.0:8420 --tls-cert cert.pem --tls-key key.pem --public-url https://my.host:8420',
  ],
});

export const statusSpec = defineCommand({
  name: 'status',
  summary: 'Show whether a gateway runs on this machine, its address and its health',
  operands: {},
  flags: {
    wait: valueFlag(duration, { summary: 'wait until it is ready, at most this long' }),
    quiet: switchFlag({
      short: 'q',
      summary: 'print nothing; the exit code is 0 when it is ready, else 1',
    }),
  },
  examples: ['clf status', 'clf status --json | jq .health.status', 'clf status -q --wait 30s'],
});

export const stopSpec = defineCommand({
  name: 'stop',
  isDestructive: true,
  summary: 'Stop the gateway on this machine; its runs go on',
  usage: '[flags]',
  // A person who types the name of a run means `clf kill`, and is told so.
  operands: { runs: optionalOperandList(text('RUN')) },
  flags: {
    closeSessions: switchFlag({ summary: 'first close the open sessions and end their runs' }),
  },
  examples: ['clf stop'],
});

const actions = 'clf service install | uninstall | status';

export const scopeFlags = {
  user: switchFlag({ summary: 'a service of this user (default, unless you are root)' }),
  system: switchFlag({ summary: 'a service of the whole machine (default for root)' }),
};

export const serviceStatusSpec = defineCommand({
  name: 'service status',
  summary: 'Show whether systemd runs the gateway, and whether its unit is right',
  operands: {},
  flags: scopeFlags,
  examples: [actions],
});

export const serviceInstallSpec = defineCommand({
  name: 'service install',
  summary: 'Let systemd run the gateway; restarts and upgrades end no run',
  operands: {},
  flags: {
    ...scopeFlags,
    ...serveFlags,
    print: switchFlag({ summary: 'only print the unit' }),
    noStart: switchFlag({ summary: 'write the unit but do not start it' }),
  },
  examples: ['clf service install', 'clf service install --print'],
});

export const serviceUninstallSpec = defineCommand({
  name: 'service uninstall',
  isDestructive: true,
  summary: 'Stop the service and remove its unit; runs go on',
  operands: {},
  flags: scopeFlags,
  examples: [],
});

export const backupSpec = defineCommand({
  name: 'backup',
  summary: 'Copy the control database while the gateway runs',
  operands: { file: operand(file) },
  flags: {
    withKeys: switchFlag({
      summary: 'copy the master keys too, to FILE.keys; both together reveal every secret',
    }),
    force: switchFlag({ short: 'f', summary: 'replace FILE if it exists' }),
  },
  examples: ['clf backup ~/clawdfather.backup'],
});

export const restoreSpec = defineCommand({
  name: 'restore',
  isDestructive: true,
  summary: 'Replace the control database with a backup; stop the gateway first',
  operands: { file: operand(file) },
  flags: {
    check: switchFlag({ summary: 'only check whether FILE can be restored' }),
    keys: valueFlag(directory, {
      summary: 'put the master keys of this directory in place (FILE.keys, if it is there)',
    }),
  },
  examples: [
    'clf restore --check ~/clawdfather.backup',
    'clf restore ~/clawdfather.backup',
    'clf restore ~/clawdfather.backup --keys /media/safe/clawdfather.keys',
  ],
});
