/*
 * The configuration file of a master: every option that matters is in it, and no other file is read (`ssh -F`).
 *
 * - The address is numeric and our dialer connects to it, so ssh resolves nothing.
 * - The host's key is compared by ssh with the pin that our `hostkey` program prints, under an alias of ours. That program also
 *   records the key that was offered.
 * - The key is asked for at our signer's socket; the file beside it has the public half only.
 * - Nothing is forwarded, nothing is run here, nothing is written to known_hosts.
 * - LogLevel stays at INFO: from DEBUG2 on ssh prints every command.
 */
import { hostKeyAlgorithmsOf } from '../pins/host-key.ts';
import type { HostKey } from '../pins/host-key.ts';
import {
  checkAddress,
  checkCount,
  checkPath,
  checkPort,
  checkUser,
  doublePercent,
  formatAlias,
  quoteWord,
} from './config-fields.ts';

export interface MasterConfig {
  readonly connectionId: string;
  /* Numeric: the one that was resolved and judged. */
  readonly address: string;
  readonly port: number;
  readonly user: string;
  /* Undefined before the first consent: then ssh refuses every key, and the offered one is recorded. */
  readonly pin: HostKey | undefined;
  readonly shimPath: string;
  /* Where the dialer and the host key program write what they saw. */
  readonly reportPath: string;
  /* `formatPinFile`: the host key program prints what is in it as the known keys. */
  readonly pinPath: string;
  readonly publicKeyPath: string;
  /* Offered first: the new key, while one is being rotated. */
  readonly nextKeyPath?: string | undefined;
  readonly signerPath: string;
  readonly connectSeconds: number;
}

/* For `connectSeconds`: a start has 30 s in all; a test is a person who waits for one answer. */
export const connectSeconds = { start: 10, test: 15 } as const;

export function formatMasterConfig(config: MasterConfig): string {
  const alias = formatAlias(config.connectionId);
  const seconds = checkCount('connectSeconds', config.connectSeconds, 60);
  const options: readonly (readonly [string, string | number])[] = [
    ['HostName', checkAddress(config.address)],
    ['HostKeyAlias', alias],
    ['Port', checkPort(config.port)],
    ['User', checkUser(config.user)],
    ...connectionOptions,
    ['ConnectTimeout', seconds],
    ['KnownHostsCommand', formatKnownHostsCommand(config, alias)],
    ['HostKeyAlgorithms', hostKeyAlgorithmsOf(config.pin).join(',')],
    ...formatIdentities(config),
    ['IdentityAgent', formatSigner(config.signerPath)],
    ['ProxyCommand', formatProxyCommand(config, seconds)],
  ];
  return options.map(([name, value]) => `${name} ${value}\n`).join('');
}

function formatIdentities({ nextKeyPath, publicKeyPath }: MasterConfig) {
  const paths = [...(nextKeyPath === undefined ? [] : [nextKeyPath]), publicKeyPath];
  return paths.map((path) => ['IdentityFile', expanded('publicKeyPath', path)] as const);
}

const connectionOptions: readonly (readonly [string, string | number])[] = [
  ['ControlMaster', 'yes'],
  ['ControlPersist', 'no'],
  // ssh itself gives up after four of these, 120 s; the ping channel knows after 90 s (next-master.ts).
  ['ServerAliveInterval', 30],
  ['ServerAliveCountMax', 3],
  ['TCPKeepAlive', 'yes'],
  ['BatchMode', 'yes'],
  ['StrictHostKeyChecking', 'yes'],
  ['UserKnownHostsFile', 'none'],
  ['GlobalKnownHostsFile', 'none'],
  ['CheckHostIP', 'no'],
  ['UpdateHostKeys', 'no'],
  ['VerifyHostKeyDNS', 'no'],
  ['PubkeyAuthentication', 'yes'],
  ['PreferredAuthentications', 'publickey'],
  ['IdentitiesOnly', 'yes'],
  ['CertificateFile', 'none'],
  ['AddKeysToAgent', 'no'],
  ['ForwardAgent', 'no'],
  ['ForwardX11', 'no'],
  ['ClearAllForwardings', 'yes'],
  ['Tunnel', 'no'],
  ['GatewayPorts', 'no'],
  ['PermitLocalCommand', 'no'],
  ['RequestTTY', 'no'],
  ['StdinNull', 'yes'],
  ['EscapeChar', 'none'],
  ['CanonicalizeHostname', 'no'],
  ['ProxyUseFdpass', 'yes'],
  ['LogLevel', 'INFO'],
  // Since 9.5 each key press waits for the next beat of 20 ms. Clients before it do not know the option.
  ['IgnoreUnknown', 'ObscureKeystrokeTiming'],
  ['ObscureKeystrokeTiming', 'no'],
];

/* ssh runs it as `$SHELL -c 'exec …'` after its own `%`, and waits without a limit: the dialer has its own. */
function formatProxyCommand(config: MasterConfig, seconds: number): string {
  const words = [
    expanded('shimPath', config.shimPath),
    'dial',
    checkAddress(config.address),
    checkPort(config.port),
    expanded('reportPath', config.reportPath),
    seconds * 1_000,
  ];
  return words.join(' ');
}

/* ssh splits it into words itself, and expands `%` in all of them but the first. */
function formatKnownHostsCommand(config: MasterConfig, alias: string): string {
  const words = [
    quoteWord(checkPath('shimPath', config.shimPath)),
    'hostkey',
    expanded('reportPath', config.reportPath),
    expanded('pinPath', config.pinPath),
    '%I %t %K',
    alias,
  ];
  return words.join(' ');
}

/* ssh only connects to it, so it may be as long as the kernel takes; open-signer.ts has refused what is longer. */
function formatSigner(path: string): string {
  return quoteWord(doublePercent(checkPath('signerPath', path)));
}

function expanded(field: string, path: string): string {
  return quoteWord(doublePercent(checkPath(field, path)));
}
