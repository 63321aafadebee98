/*
 * Approvals for a process that asks for them or decides them: it has a connection to the registry of its own, and does not become
 * an owner.
 *
 * `watch` tells that something may have been written, by any process. Every commit appends to the database's log, so a
 * kernel watch on that file is enough: a crash after a commit cannot lose the notice, and nothing polls. Runs commit as well, so
 * the approvals are read no more often than every `lookMs`. Where the kernel gives no watch (they are limited per user), they
 * are read every `blindLookMs`.
 */
import { watch } from 'node:fs';
import { basename } from 'node:path';
import { type Clock, createSystemClock, createSystemRandom, type Random } from '@clawdfather/kit';
import type { Host } from '../evidence/host.ts';
import { selectPlatform } from '../platform.ts';
import type { ApprovalReads, ApprovalWrites } from './approvals.ts';
import { diskRefusalOf } from './disk-refusal.ts';
import { openRegistry } from './registry.ts';
import { openStateDir } from './state-dir.ts';

/* A person's answer may take this long to be heard; a busy registry costs twenty reads a second at most. */
const lookMs = 50;
/* Without a watch: slow enough to cost nothing, fast enough for a person who has just pressed a key. */
const blindLookMs = 1_000;

export interface ApprovalStoreDeps {
  readonly stateDir: string;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly platform?: string;
  /* Replaced in tests: a watch may be refused. */
  readonly watchDirectory?: WatchDirectory;
}

export type WatchDirectory = (
  path: string,
  onEvent: (event: string, name: string | null) => void,
) => DirectoryWatch;

interface DirectoryWatch {
  close(): void;
  on(name: 'error', listener: () => void): unknown;
}

export interface ApprovalStore extends ApprovalReads {
  readonly stateDir: string;
  /* Which boot, and how far into it: what lapses is counted in (C1). */
  readonly host: Pick<Host, 'bootId' | 'bootMs'>;
  /* Committed when it resolves. The closure may run twice and must touch nothing else (Q1). */
  write<Value>(work: (transaction: ApprovalWrites) => Value): Promise<Value>;
  /* Calls when something may have changed; returns how to stop. */
  watch(onChange: () => void): () => void;
  close(): Promise<void>;
}

export async function openApprovals(deps: ApprovalStoreDeps): Promise<ApprovalStore> {
  const clock = deps.clock ?? createSystemClock();
  const watchDirectory = deps.watchDirectory ?? watch;
  const host = selectPlatform(deps.platform ?? process.platform).readHost();
  const stateDir = await openStateDir(deps.stateDir);
  const tellDisk = (error: unknown): never => {
    throw diskRefusalOf(error, stateDir.path) ?? error;
  };
  const registry = await openRegistry({
    stateDir,
    clock,
    random: deps.random ?? createSystemRandom(),
    bootId: host.bootId,
    bootMs: () => host.bootMs(),
  }).catch(tellDisk);
  return {
    approval: registry.approval,
    approvalOfRun: registry.approvalOfRun,
    approvals: registry.approvals,
    countApprovals: registry.countApprovals,
    approvalBody: registry.approvalBody,
    waitingApprovals: registry.waitingApprovals,
    untoldApprovals: registry.untoldApprovals,
    allowRules: registry.allowRules,
    allowRule: registry.allowRule,
    rules: registry.rules,
    countRules: registry.countRules,
    untoldRules: registry.untoldRules,
    runOfShim: registry.runOfShim,
    stateDir: stateDir.path,
    host,
    write: (work) => registry.write(work).catch(tellDisk),
    watch: (onChange) => watchLog({ ...stateDir, clock, watchDirectory }, onChange),
    close: () => registry.close(),
  };
}

interface WatchParts {
  readonly path: string;
  readonly registryFile: string;
  readonly clock: Clock;
  readonly watchDirectory: WatchDirectory;
}

function watchLog(
  { path, registryFile, clock, watchDirectory }: WatchParts,
  onChange: () => void,
): () => void {
  let isDue = false;
  let isStopped = false;
  const lookSoon = (): void => {
    if (isDue || isStopped) return;
    isDue = true;
    clock.timer(lookMs, () => {
      isDue = false;
      if (!isStopped) onChange();
    });
  };
  const logName = `${basename(registryFile)}-wal`;
  let watcher: DirectoryWatch | undefined;
  let stopBlind = (): void => undefined;
  const lookBlindly = (): void => {
    const timer = clock.timer(blindLookMs, () => {
      if (isStopped) return;
      onChange();
      lookBlindly();
    });
    stopBlind = () => timer.cancel();
  };
  const fallBack = (): void => {
    watcher?.close();
    watcher = undefined;
    if (!isStopped) lookBlindly();
  };
  try {
    // The directory, not the file: the log is removed when the last one closes, and made anew.
    watcher = watchDirectory(path, (_event, name) => {
      if (name === null || name === logName) lookSoon();
    });
    watcher.on('error', fallBack);
  } catch {
    // No watch to be had; see the head of this file.
    fallBack();
  }
  return () => {
    isStopped = true;
    watcher?.close();
    stopBlind();
  };
}
