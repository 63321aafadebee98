/*
 * How the master is started, and how a person uses it.
 *
 * The first value that ssh reads for an option counts. So in the printed prefix our options come before everything that is added
 * to it: a `ProxyCommand` or `ControlMaster` that is added later changes nothing. And should the master be gone, `false` is what
 * ssh would connect through: it never opens a connection of its own.
 */
import {
  checkAddress,
  checkPath,
  checkPort,
  checkSocketPath,
  checkUser,
  doublePercent,
  formatAlias,
  quoteWord,
} from './config-fields.ts';
import { quotePosix } from '../command/quote-posix.ts';

export interface MasterPaths {
  /* Absolute, as every program that we start. */
  readonly sshPath: string;
  readonly configPath: string;
  readonly socketPath: string;
}

export function formatMasterArgv(connectionId: string, paths: MasterPaths): readonly string[] {
  return [
    checkPath('sshPath', paths.sshPath),
    '-F',
    checkPath('configPath', paths.configPath),
    '-N',
    '-M',
    '-S',
    doublePercent(checkSocketPath('socketPath', paths.socketPath)),
    '--',
    formatAlias(connectionId),
  ];
}

/* All that it gets. In English, because the texts are logged; with a shell that ProxyCommand's spelling is made for. */
export function masterEnvironment(home: string): Readonly<Record<string, string>> {
  return { PATH: '/usr/bin:/bin', HOME: home, LC_ALL: 'C', SHELL: '/bin/sh' };
}

/* What people's own ssh reads instead of their configuration: nothing that could connect, ask, or pass a key on. */
export function formatPassengerConfig(): string {
  return passengerOptions.map((line) => `${line}\n`).join('');
}

const passengerOptions = [
  'ControlPersist no',
  'BatchMode yes',
  'StrictHostKeyChecking yes',
  'UserKnownHostsFile none',
  'GlobalKnownHostsFile none',
  'IdentityFile none',
  'IdentityAgent none',
  'ForwardAgent no',
  'ForwardX11 no',
  'ClearAllForwardings yes',
  'PermitLocalCommand no',
  'CanonicalizeHostname no',
  'LogLevel ERROR',
];

export interface PrefixParts {
  readonly paths: MasterPaths;
  readonly address: string;
  readonly port: number;
  readonly user: string;
}

/* `<prefix> command …`. Paths are as plain as the runtime directory is; one with a blank is quoted for a shell. */
export function formatSshPrefix({ paths, address, port, user }: PrefixParts): string {
  const socket = doublePercent(checkSocketPath('socketPath', paths.socketPath));
  const words = [
    'ssh',
    '-F',
    checkPath('configPath', paths.configPath),
    '-o',
    `ControlPath=${isPlain(socket) ? socket : quoteWord(socket)}`,
    '-o',
    'ControlMaster=no',
    '-o',
    'ProxyCommand=false',
    '-p',
    String(checkPort(port)),
    `${checkUser(user)}@${checkAddress(address)}`,
    '--',
  ];
  return words.map((word) => (isPlain(word) ? word : quotePosix(word))).join(' ');
}

function isPlain(word: string): boolean {
  return /^[A-Za-z0-9_/.:=@%+,-]+$/.test(word);
}
