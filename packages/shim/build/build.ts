/*
 * Builds the shim: `node packages/shim/build/build.ts [--variant=release|test|asan|fuzz …] [--arch=x64|arm64 …]`.
 *
 * Without `--arch` it is for this machine, with whatever compiler there is. With it, it is for any Linux of that kind.
 *
 * Stages per program: find a compiler, see whether anything changed, compile all
 * sources in one command, check the size, put the result in place by a rename
 * (a test that starts the old one meanwhile sees either the old or the new).
 */
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile, type Compiler, findCompilers } from './compilers.ts';
import { loadedBytes } from './loaded-bytes.ts';
import { hashInputs, isUpToDate, writeStamp } from './stamp.ts';
import { compilersFor, remediesFor, type Target, targets } from './targets.ts';
import { buildVariants, compilerNames, flagsFor, outputName } from './variants.ts';
import type { BuildVariant } from './variants.ts';

interface Program {
  readonly variant: BuildVariant;
  /* Undefined: this machine. */
  readonly target: Target | undefined;
  readonly sources: readonly string[];
  readonly outputPath: string;
}

/* Every run has one: a larger program would be felt at a thousand runs. */
const releaseBytesMax = 150_000;

const packagePath = fileURLToPath(new URL('..', import.meta.url));
const nativePath = join(packagePath, 'native');
const distPath = join(packagePath, 'dist');

function main(argv: readonly string[]): void {
  const wanted = parseWanted(argv);
  if (wanted === undefined) return;
  if (process.platform !== 'linux') {
    return fail('The shim is written for Linux.', `This is ${process.platform}.`, [
      'Run Clawdfather on Linux; other systems refuse with platform-unsupported.',
    ]);
  }
  mkdirSync(distPath, { recursive: true });
  const onTargets = wanted.targets.length === 0 ? [undefined] : wanted.targets;
  for (const variant of wanted.variants) {
    for (const target of onTargets) {
      for (const program of programsOf(variant, target)) buildProgram(program);
    }
  }
}

interface Wanted {
  readonly variants: readonly BuildVariant[];
  readonly targets: readonly Target[];
}

function parseWanted(argv: readonly string[]): Wanted | undefined {
  const has = (word: string): boolean => argv.includes(word);
  const named = buildVariants.filter((variant) => has(`--variant=${variant}`));
  const onTargets = targets.filter(({ arch }) => has(`--arch=${arch}`));
  const isKnown = named.length + onTargets.length === new Set(argv).size;
  const variants: readonly BuildVariant[] = named.length === 0 ? ['release'] : named;
  const isForTargets = variants.every((one) => one === 'release' || one === 'test');
  if (isKnown && (onTargets.length === 0 || isForTargets)) return { variants, targets: onTargets };
  fail(
    'Unknown argument.',
    `Known variants: ${buildVariants.join(', ')}. Known kinds of machines, for release and test: ${targets.map(({ arch }) => arch).join(', ')}.`,
    ['Call it as: node packages/shim/build/build.ts --variant=release --arch=arm64'],
  );
  return undefined;
}

function programsOf(variant: BuildVariant, target: Target | undefined): readonly Program[] {
  const sources = filesIn(nativePath, '.c');
  const isFuzzer = (path: string): boolean => basename(path).startsWith('fuzz-');
  if (variant !== 'fuzz') {
    const outputPath = join(distPath, outputName(variant, target));
    return [{ variant, target, sources: sources.filter((path) => !isFuzzer(path)), outputPath }];
  }
  return sources.filter(isFuzzer).map((path) => {
    const name = basename(path, '.c');
    return { variant, target, sources: [path], outputPath: join(distPath, name) };
  });
}

function buildProgram(program: Program): void {
  const name = basename(program.outputPath);
  const { target, variant } = program;
  const compilers =
    target === undefined ? findCompilers(compilerNames[variant]) : compilersFor(target, distPath);
  const inputs = [...filesIn(nativePath, '.c'), ...filesIn(nativePath, '.h')];
  const inputsHash = hashInputs(
    inputs,
    compilers.flatMap((compiler) => [compiler.version, ...flagsFor(variant, compiler, target)]),
  );
  if (isUpToDate(program.outputPath, inputsHash)) return say(`${name} is up to date`);
  if (compilers.length === 0) return failWithoutCompiler(program);
  for (const compiler of compilers) {
    const output = tryCompiler(program, compiler);
    if (output === undefined) {
      checkSize(program, compiler);
      return writeStamp(program.outputPath, inputsHash);
    }
    const isLast = compiler === compilers.at(-1);
    say(`${compiler.command} could not build ${name}${isLast ? ':' : '; trying the next one'}`);
    say(isLast ? output : firstError(output));
  }
  process.exitCode = 1;
}

/* What the compiler said, if it failed. */
function tryCompiler(program: Program, compiler: Compiler): string | undefined {
  const temporaryPath = `${program.outputPath}.${process.pid}`;
  const flags = flagsFor(program.variant, compiler, program.target);
  const result = compile(compiler, [...flags, '-o', temporaryPath, ...program.sources]);
  if (!result.isBuilt) {
    rmSync(temporaryPath, { force: true });
    return result.output;
  }
  renameSync(temporaryPath, program.outputPath);
  return undefined;
}

function checkSize(program: Program, compiler: Compiler): void {
  const name = basename(program.outputPath);
  const size = loadedBytes(program.outputPath);
  say(`${name}: ${size} bytes, ${compiler.version}`);
  if (program.variant !== 'release' || size < releaseBytesMax) return;
  if (!compiler.isMusl) return say(`warning: ${name} is larger than ${releaseBytesMax} bytes`);
  fail(`${name} has become too large.`, `${size} bytes, the limit is ${releaseBytesMax}.`, [
    'Look at what grew (nm --size-sort); every run has a process of this program.',
  ]);
}

function failWithoutCompiler({ outputPath, variant, target }: Program): void {
  const what = `${basename(outputPath)} cannot be built.`;
  if (target !== undefined) {
    const why = `No compiler for a static program on ${target.cpu} was found, or musl for it could not be fetched.`;
    return fail(what, why, remediesFor(target));
  }
  fail(what, `No C compiler was found (looked for ${compilerNames[variant].join(', ')}).`, [
    'Debian, Ubuntu: apt install gcc musl-tools',
    'Fedora: dnf install gcc musl-gcc',
  ]);
}

function filesIn(folder: string, ending: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => join(folder, name));
}

function firstError(output: string): string {
  return output.split('\n').find((line) => line.includes('error')) ?? output.slice(0, 200);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(what: string, why: string, remedies: readonly string[]): void {
  process.stderr.write(`${[what, why, ...remedies].join('\n  ')}\n`);
  process.exitCode = 1;
}

main(process.argv.slice(2));
