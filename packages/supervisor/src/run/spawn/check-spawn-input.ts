/*
 * What a spawn may carry, checked before anything is written or started. Each refusal names the field, what was
 * wrong with it, and nothing of its content: environments and command lines hold secrets.
 */
import { isAbsolute } from 'node:path';
import { SupervisorError } from '../../errors.ts';
import * as limits from '../../limits.ts';
import type { RunLimits, SpawnInput } from '../../spawn-input.ts';
import type { Confinement } from '../../types.ts';

/* A directory's name and a name for people: no dots, no slashes, nothing to quote. */
const runIdPattern = /^[0-9a-z][0-9a-z-]*$/;

/* Long enough that no other process has it by chance: what carries it is ended by it (T8). */
const leaseIdPattern = /^[0-9a-z]{16,64}$/;

/* Throws `input-invalid`. */
export function checkSpawnInput(input: SpawnInput): void {
  checkNames(input);
  checkCommand(input);
  checkEnvironment(input);
  checkTimes(input);
  checkLimits(input.limits ?? {});
  checkIdentity(input);
  if (!isAbsolute(input.cwd) || input.cwd.includes('\0')) {
    throw invalid('cwd', 'must be an absolute path');
  }
  checkConfinement(input.confine?.grants ?? []);
  if (input.cwd.length > limits.directoryCharsMax) {
    throw invalid('cwd', `takes up to ${limits.directoryCharsMax} characters`);
  }
  checkRate(input.outputRate);
  const bytesMax = input.journal?.bytesMax;
  if (bytesMax !== undefined && !(bytesMax >= limits.journalBytesMin)) {
    throw invalid('journal.bytesMax', `must be at least ${limits.journalBytesMin}`);
  }
}

/* Also used where an id comes from outside. */
export function isRunIdText(text: string): boolean {
  return text.length <= limits.runIdCharsMax && runIdPattern.test(text);
}

function checkNames(input: SpawnInput): void {
  if (input.runId !== undefined && !isRunIdText(input.runId)) {
    throw invalid('runId', 'takes up to 31 lower-case letters, digits and dashes');
  }
  if (input.leaseId !== undefined && !leaseIdPattern.test(input.leaseId)) {
    throw invalid('leaseId', 'takes 16 to 64 lower-case letters and digits');
  }
  const names = {
    sessionId: input.sessionId,
    backendId: input.backendId,
    scopeKey: input.scopeKey,
  };
  for (const [field, name] of Object.entries(names)) {
    if (name !== undefined && (name === '' || name.length > limits.nameCharsMax)) {
      throw invalid(field, `takes 1 to ${limits.nameCharsMax} characters`);
    }
  }
  const labels = Object.entries(input.labels ?? {});
  if (labels.length > limits.labelsMax)
    throw invalid('labels', `takes at most ${limits.labelsMax}`);
  for (const [name, value] of labels) {
    if (name === '' || name.length > limits.labelCharsMax || value.length > limits.labelCharsMax) {
      throw invalid('labels', `names and values take up to ${limits.labelCharsMax} characters`);
    }
  }
}

function checkCommand(input: SpawnInput): void {
  if (input.mode === 'pty') {
    if (input.ptyCommand.trim() === '') throw invalid('ptyCommand', 'is empty');
    checkText('ptyCommand', input.ptyCommand);
    if (input.shell === '') throw invalid('shell', 'is empty');
  } else {
    if (input.argv.length === 0 || input.argv[0] === '') throw invalid('argv', 'names no program');
    if (input.argv.length > limits.argumentsMax) {
      throw invalid('argv', `takes at most ${limits.argumentsMax} arguments`);
    }
    for (const argument of input.argv) checkText('argv', argument);
  }
  if (input.mode === 'child') return;
  for (const [field, size] of Object.entries({ cols: input.cols, rows: input.rows })) {
    checkInteger(field, size, { least: 1, most: 65_535 });
  }
}

function checkEnvironment(input: SpawnInput): void {
  let bytes = input.mode === 'pty' ? input.ptyCommand.length : 0;
  if (input.mode !== 'pty') for (const argument of input.argv) bytes += argument.length + 8;
  for (const [name, value] of Object.entries(input.env)) {
    if (name === '' || name.includes('='))
      throw invalid('env', 'has a name that is empty or holds "="');
    checkText('env', name);
    checkText('env', value);
    bytes += name.length + value.length + 8;
  }
  for (const { path } of input.confine?.grants ?? []) bytes += path.length + 8;
  if (bytes > limits.argumentsAndEnvironmentBytesMax) {
    throw invalid('env', `and argv take ${limits.argumentsAndEnvironmentBytesMax} bytes together`);
  }
}

function checkTimes(input: SpawnInput): void {
  const range = { least: 1, most: Number.MAX_SAFE_INTEGER };
  checkInteger('overallTimeoutMs', input.overallTimeoutMs, range);
  checkInteger('noOutputTimeoutMs', input.noOutputTimeoutMs, range);
  checkInteger('graceMs', input.graceMs, { least: 1, most: limits.graceMsMax });
}

function checkLimits(asked: RunLimits): void {
  const range = { least: 1, most: Number.MAX_SAFE_INTEGER };
  const { openFiles, ...single } = asked;
  for (const [name, value] of Object.entries(single)) checkInteger(`limits.${name}`, value, range);
  const { soft, hard } =
    typeof openFiles === 'object' ? openFiles : { soft: openFiles, hard: openFiles };
  checkInteger('limits.openFiles', hard, range);
  checkInteger('limits.openFiles', soft, { ...range, most: hard ?? range.most });
}

function checkIdentity(input: SpawnInput): void {
  checkInteger('nice', input.nice, { least: -20, most: 19 });
  checkInteger('umask', input.umask, { least: 0, most: 0o777 });
  if (input.runAs === undefined) return;
  const ids = [input.runAs.uid, input.runAs.gid, ...(input.runAs.groups ?? [])];
  for (const id of ids) checkInteger('runAs', id, { least: 0, most: 2 ** 32 - 2 });
  if (process.getuid?.() !== 0) throw invalid('runAs', 'needs a supervisor that runs as root');
}

function checkRate(rate: SpawnInput['outputRate']): void {
  if (rate === undefined) return;
  if (!isRunIdText(rate.key)) {
    throw invalid('outputRate.key', 'takes up to 31 lower-case letters, digits and dashes');
  }
  const range = { least: 1, most: Number.MAX_SAFE_INTEGER };
  checkInteger('outputRate.bytesPerSecond', rate.bytesPerSecond, range);
  const most = limits.rateBurstBytesMax;
  checkInteger('outputRate.burstBytes', rate.burstBytes, { least: 1, most });
}

function checkConfinement(grants: Confinement['grants']): void {
  if (grants.length > limits.grantsMax) {
    throw invalid('confine', `takes at most ${limits.grantsMax} grants`);
  }
  for (const { path } of grants) {
    if (!isAbsolute(path) || path.includes('\0')) {
      throw invalid('confine', 'has a path that is not absolute');
    }
    if (Buffer.byteLength(path) > limits.grantPathBytesMax) {
      throw invalid('confine', `has a path of more than ${limits.grantPathBytesMax} bytes`);
    }
  }
}

function checkText(field: string, text: string): void {
  if (text.includes('\0')) throw invalid(field, 'holds a NUL character');
  if (text.length > limits.argumentBytesMax) {
    throw invalid(field, `has an item of more than ${limits.argumentBytesMax} bytes`);
  }
}

function checkInteger(
  field: string,
  value: number | undefined,
  { least, most }: { readonly least: number; readonly most: number },
): void {
  if (value === undefined) return;
  if (!Number.isSafeInteger(value) || value < least || value > most) {
    throw invalid(field, `must be a whole number from ${least} to ${most}`);
  }
}

function invalid(field: string, what: string): SupervisorError {
  return new SupervisorError('input-invalid', `${field} ${what}`, { detail: { field } });
}
