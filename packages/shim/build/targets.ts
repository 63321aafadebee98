/*
 * Other machines that a program can be built for: `--arch=x64`, `--arch=arm64`, in Node's words. Such a program is to run on any
 * Linux of its kind, so it is static, against musl, always.
 *
 * For our own kind of machine `musl-gcc` does that. For another one a cross compiler of musl will do; else the one of Debian
 * together with the library of foreign-musl.ts.
 */
import { arch as ownArch } from 'node:process';
import { type Compiler, findCompilers } from './compilers.ts';
import { openForeignMusl } from './foreign-musl.ts';

/* What the kind of machine is called by Node, by compilers, and by Debian. */
export interface Target {
  readonly arch: string;
  readonly cpu: string;
  readonly debianArch: string;
}

export const targets: readonly Target[] = [
  { arch: 'x64', cpu: 'x86_64', debianArch: 'amd64' },
  { arch: 'arm64', cpu: 'aarch64', debianArch: 'arm64' },
];

/* Empty when there is none, or when the library cannot be had. */
export function compilersFor(target: Target, cachePath: string): readonly Compiler[] {
  if (target.arch === ownArch) return findCompilers(['musl-gcc']);
  const ofMusl = findCompilers([`${target.cpu}-linux-musl-gcc`]);
  if (ofMusl.length > 0) return ofMusl;
  const [compiler] = findCompilers([`${target.cpu}-linux-gnu-gcc`]);
  const specsPath = compiler && openForeignMusl(target, cachePath);
  if (compiler === undefined || specsPath === undefined) return [];
  return [{ ...compiler, isMusl: true, flags: ['-specs', specsPath] }];
}

/* What a machine without such a compiler lacks. */
export function remediesFor(target: Target): readonly string[] {
  if (target.arch === ownArch) {
    return ['Debian, Ubuntu: apt install gcc musl-tools', 'Fedora: dnf install gcc musl-gcc'];
  }
  return [
    `Debian: apt install ${crossPackage(target)}`,
    `Elsewhere: put a cross compiler of musl on the PATH as ${target.cpu}-linux-musl-gcc`,
  ];
}

function crossPackage({ cpu }: Target): string {
  return `gcc-${cpu.replace('_', '-')}-linux-gnu`;
}
