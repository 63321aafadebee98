/*
 * The local ssh, which makes the connections to hosts. From OpenSSH 8.9 on it tells its agent for which host and session it wants a
 * signature (session-bind); our signer gives none without that. Only hosts need it, so without one nothing else is wrong.
 */
import { execFile } from 'node:child_process';
import { hasErrno } from '@clawdfather/kit';
import type { Finding } from './finding.ts';

const check = 'ssh';
const versionMin = [8, 9] as const;
/* It prints one line. */
const limitMs = 10_000;
const howToInstall =
  'Install OpenSSH 8.9 or newer (Debian, Ubuntu: apt-get install openssh-client; Fedora: dnf install openssh-clients; Alpine: apk add openssh-client).';

/* `ask`: what `ssh -V` says; it rejects when there is none. */
export async function checkSsh(ask: () => Promise<string> = askVersion): Promise<Finding> {
  let said: string;
  try {
    said = (await ask()).trim();
  } catch (error) {
    const why = hasErrno(error, 'ENOENT') ? 'there is no ssh' : 'ssh cannot be run';
    return {
      check,
      status: 'warn',
      summary: `${why}: SSH hosts cannot be reached from here`,
      advice: howToInstall,
    };
  }
  // `OpenSSH_9.2p1 Debian-2+deb12u6, OpenSSL …`; on Windows `OpenSSH_for_Windows_8.6p1`.
  const [, major, minor] = /^OpenSSH_(?:[A-Za-z_]+_)?(\d+)\.(\d+)/.exec(said) ?? [];
  const version = said.split(/[ ,]/, 1)[0] ?? said;
  if (major === undefined || minor === undefined) {
    return {
      check,
      status: 'warn',
      summary: `ssh is not OpenSSH (it says "${said.slice(0, 60)}"): SSH hosts cannot be reached with it`,
      advice: howToInstall,
    };
  }
  if (isEnough(Number(major), Number(minor))) return { check, status: 'ok', summary: version };
  return {
    check,
    status: 'warn',
    summary: `${version} is too old: SSH hosts cannot be reached with it`,
    advice: howToInstall,
  };
}

function isEnough(major: number, minor: number): boolean {
  const [majorMin, minorMin] = versionMin;
  return major > majorMin || (major === majorMin && minor >= minorMin);
}

/* It prints to stderr. */
function askVersion(): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  execFile('ssh', ['-V'], { timeout: limitMs }, (error, _stdout, stderr) => {
    if (error === null) resolve(stderr);
    else reject(error);
  });
  return promise;
}
