/*
 * What is built, with which compilers and flags.
 *
 *   release  small, static where musl is there, stripped
 *   test     the same with the hooks that tests need
 *   asan     with AddressSanitizer and UBSan; every finding ends the program
 *   fuzz     one program per `fuzz-*.c`, each of which includes the source it tests
 *
 * `release` and `test` can be built for another kind of machine, too (targets.ts).
 */
import { binaryNames, type ShimVariant, targetName } from '../src/binary-names.ts';
import type { Compiler } from './compilers.ts';
import type { Target } from './targets.ts';

export type BuildVariant = ShimVariant | 'fuzz';

export const buildVariants: readonly BuildVariant[] = ['release', 'test', 'asan', 'fuzz'];

const warningFlags = [
  '-Wall',
  '-Wextra',
  '-Wpedantic',
  '-Wshadow',
  '-Wconversion',
  '-Wstrict-prototypes',
  '-Wmissing-prototypes',
  '-Wvla',
  '-Wformat=2',
  '-Werror',
];

const commonFlags = ['-std=c17', '-D_GNU_SOURCE', ...warningFlags, '-fstack-protector-strong'];

/* Tables for unwinding are for exceptions and debuggers, and the stripped program has neither. */
const smallFlags = [
  '-Os',
  '-flto',
  '-ffunction-sections',
  '-fdata-sections',
  '-fno-asynchronous-unwind-tables',
  '-fno-unwind-tables',
  '-Wl,--gc-sections',
  '-Wl,-z,relro,-z,now',
  '-s',
];

const hookFlags = ['-DCLAWDFATHER_TEST_HOOKS'];
/* The test program of another kind of machine runs in an emulator, which refuses to share memory and to adopt orphans. */
const emulatedFlags = ['-DCLF_FORKS', '-DCLF_EMULATED'];
const sanitizerFlags = ['-O1', '-g', '-fno-omit-frame-pointer', '-fno-sanitize-recover=all'];

/* Each is tried until one succeeds. */
export const compilerNames: Readonly<Record<BuildVariant, readonly string[]>> = {
  release: ['musl-gcc', 'gcc', 'cc', 'clang'],
  test: ['musl-gcc', 'gcc', 'cc', 'clang'],
  asan: ['gcc', 'clang'],
  fuzz: ['clang'],
};

export function flagsFor(
  variant: BuildVariant,
  compiler: Compiler,
  target?: Target,
): readonly string[] {
  const isForeign = target !== undefined && target.arch !== process.arch;
  const isEmulated = variant === 'test' && isForeign;
  return [...flagsOf(variant, compiler), ...compiler.flags, ...(isEmulated ? emulatedFlags : [])];
}

function flagsOf(variant: BuildVariant, compiler: Compiler): readonly string[] {
  switch (variant) {
    case 'release':
      return [...commonFlags, ...smallFlags, ...libraryFlags(compiler)];
    case 'test':
      return [...commonFlags, ...smallFlags, ...libraryFlags(compiler), ...hookFlags];
    case 'asan':
      return [...commonFlags, ...sanitizerFlags, '-fsanitize=address,undefined', ...hookFlags];
    case 'fuzz':
      return [...commonFlags, ...sanitizerFlags, '-fsanitize=fuzzer,address,undefined'];
  }
}

export function outputName(variant: ShimVariant, target?: Target): string {
  return target === undefined ? binaryNames[variant] : targetName(variant, target.arch);
}

/* musl has no fortified functions; its headers ignore the macro, its compiler warns. */
function libraryFlags(compiler: Compiler): readonly string[] {
  return compiler.isMusl ? ['-static'] : ['-D_FORTIFY_SOURCE=2'];
}
