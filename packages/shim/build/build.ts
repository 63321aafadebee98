/*
 * Builds the shim: `node packages/shim/build/build.ts [--variant=release|test|asan|fuzz …]`.
 *
 * Stages per program: find a compiler, see whether anything changed, compile all
 * sources in one command, check the size, put the result in place by a rename
 * (a test that starts the old one meanwhile sees either the old or the new).
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile, type Compiler, findCompilers } from './compilers.ts';
import { hashInputs, isUpToDate, writeStamp } from './stamp.ts';
import { buildVariants, compilerNames, flagsFor, outputName } from './variants.ts';
import type { BuildVariant } from './variants.ts';

interface Program {
  readonly variant: BuildVariant;
  readonly sources: readonly string[];
  readonly outputPath: string;
}

/* Every run has one: a larger program would be felt at a thousand runs. */
const releaseBytesMax = 150_000;

const packagePath = fileURLToPath(new URL('..', import.meta.url));
const nativePath = join(packagePath, 'native');
const distPath = join(packagePath, 'dist');

function main(argv: readonly string[]): void {
  const variants = parseVariants(argv);
  if (process.platform !== 'linux') {
    return fail('The shim is written for Linux.', `This is ${process.platform}.`, [
      'Run Clawdfather on Linux; other systems refuse with platform-unsupported.',
    ]);
  }
  mkdirSync(distPath, { recursive: true });
  for (const variant of variants) {
    for (const program of programsOf(variant)) buildProgram(program);
  }
}

function parseVariants(argv: readonly string[]): readonly BuildVariant[] {
  const wanted = argv.map((arg) => arg.replace(/^--variant=/, ''));
  const known = buildVariants.filter((variant) => wanted.includes(variant));
  if (known.length !== new Set(wanted).size) {
    fail('Unknown argument.', `Known variants: ${buildVariants.join(', ')}.`, [
      'Call it as: node packages/shim/build/build.ts --variant=release',
    ]);
    return [];
  }
  return known.length === 0 ? ['release'] : known;
}

function programsOf(variant: BuildVariant): readonly Program[] {
  const sources = filesIn(nativePath, '.c');
  const isFuzzer = (path: string): boolean => basename(path).startsWith('fuzz-');
  if (variant !== 'fuzz') {
    const outputPath = join(distPath, outputName(variant));
    return [{ variant, sources: sources.filter((path) => !isFuzzer(path)), outputPath }];
  }
  return sources.filter(isFuzzer).map((path) => {
    const name = basename(path, '.c');
    return { variant, sources: [path], outputPath: join(distPath, name) };
  });
}

function buildProgram(program: Program): void {
  const name = basename(program.outputPath);
  const compilers = findCompilers(compilerNames[program.variant]);
  const inputs = [...filesIn(nativePath, '.c'), ...filesIn(nativePath, '.h')];
  const inputsHash = hashInputs(
    inputs,
    compilers.flatMap((compiler) => [compiler.version, ...flagsFor(program.variant, compiler)]),
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
  const flags = flagsFor(program.variant, compiler);
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
  const { size } = statSync(program.outputPath);
  say(`${name}: ${size} bytes, ${compiler.version}`);
  if (program.variant !== 'release' || size < releaseBytesMax) return;
  if (!compiler.isMusl) return say(`warning: ${name} is larger than ${releaseBytesMax} bytes`);
  fail(`${name} has become too large.`, `${size} bytes, the limit is ${releaseBytesMax}.`, [
    'Look at what grew (nm --size-sort); every run has a process of this program.',
  ]);
}

function failWithoutCompiler(program: Program): void {
  fail(
    `${basename(program.outputPath)} cannot be built.`,
    `No C compiler was found (looked for ${compilerNames[program.variant].join(', ')}).`,
    ['Debian, Ubuntu: apt install gcc musl-tools', 'Fedora: dnf install gcc musl-gcc'],
  );
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
