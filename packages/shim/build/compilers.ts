/*
 * The C compilers of this machine, and running one.
 *
 * A static program against musl starts faster, is smaller and does not depend
 * on the C library of the machine it is copied to, so `musl-gcc` is tried first.
 */
import { spawnSync } from 'node:child_process';

export interface Compiler {
  readonly command: string;
  readonly version: string;
  readonly isMusl: boolean;
  /* Needed by this compiler, whatever is built. */
  readonly flags: readonly string[];
}

export interface CompileResult {
  readonly isBuilt: boolean;
  readonly output: string;
}

/* Those of the given names that are there, in that order. */
export function findCompilers(commands: readonly string[]): readonly Compiler[] {
  const found: Compiler[] = [];
  for (const command of commands) {
    const result = spawnSync(command, ['--version'], { encoding: 'utf8' });
    if (result.status !== 0) continue;
    const version = result.stdout.split('\n')[0] ?? '';
    found.push({ command, version, isMusl: command.includes('musl'), flags: [] });
  }
  return found;
}

export function compile(compiler: Compiler, args: readonly string[]): CompileResult {
  const result = spawnSync(compiler.command, [...args], { encoding: 'utf8' });
  const output = `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`;
  return { isBuilt: result.status === 0, output };
}
