/*
 * What every program needs of the system to run at all: programs and libraries, the kernel's own files, a few of /etc, a few
 * devices. Nothing here contains secrets of a user. /etc as a whole does (shadow, keys of servers), /dev does (disks, other
 * terminals), and so do /home, /root, /tmp, /var, /run and /opt.
 *
 * All may be missing: systems differ, and what is not there needs no right.
 */
import { realpathSync } from 'node:fs';
import type { Confinement } from '@clawdfather/supervisor';
import { isInside } from './real-paths.ts';

type Grant = Confinement['grants'][number];

/* On most systems all but the first are links into it. */
const programTrees = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/* /proc shows the command lines of other processes; the kernel does not let a process in a domain look into others. */
const kernelTrees = ['/proc', '/sys'];

const readFiles = [
  /* the loader, of glibc and of musl */
  '/etc/ld.so.cache',
  '/etc/ld.so.preload',
  '/etc/ld-musl-x86_64.path',
  '/etc/ld-musl-aarch64.path',
  /* names of users, groups and hosts; time; languages; terminals */
  '/etc/passwd',
  '/etc/group',
  '/etc/nsswitch.conf',
  '/etc/hosts',
  '/etc/localtime',
  '/etc/locale.alias',
  '/etc/locale.conf',
  '/etc/terminfo',
  '/etc/os-release',
  /* sha256sum and its like are linked with OpenSSL on some systems */
  '/etc/ssl/openssl.cnf',
  '/etc/pki/tls/openssl.cnf',
  '/etc/crypto-policies',
  /* who, users, uptime */
  '/run/utmp',
  '/dev/zero',
  '/dev/random',
  '/dev/urandom',
];

const writtenDevices = ['/dev/null', '/dev/full', '/dev/tty'];

export const systemTrees: readonly string[] = [...programTrees, ...kernelTrees];

export function systemGrants(): readonly Grant[] {
  const usr = realPathOf('/usr');
  const apart = programTrees.filter((path) => path === '/usr' || !isInside(realPathOf(path), usr));
  const grant = (path: string, access: Grant['access']): Grant => ({
    path,
    access,
    isOptional: true,
  });
  return [
    ...apart.map((path) => grant(path, 'execute')),
    ...kernelTrees.map((path) => grant(path, 'read')),
    ...readFiles.map((path) => grant(path, 'read')),
    ...writtenDevices.map((path) => grant(path, 'write')),
  ];
}

function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // Not there; then it lies in nothing but itself.
    return path;
  }
}
