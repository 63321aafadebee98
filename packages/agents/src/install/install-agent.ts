/*
 * Installs an agent in its pinned version, so that starting it needs neither npm nor a network.
 *
 * Stages: sweep what dead installations left → make a draft beside the place → npm → check that everything is there → hash every
 * file, write the manifest → rename the draft into place. The rename is the moment at which it is installed; killed before, nothing
 * counts. Two at once both make a draft, one rename wins, and the other one takes what is there.
 */
import { writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno, type Random } from '@clawdfather/kit';
import type { CatalogueEntry } from '../catalogue/agent-entry.ts';
import { AgentsError } from '../errors.ts';
import { openAgentsDir } from './agents-dir.ts';
import { makeDraft, markNpm, removeTree, sweepDrafts, unmarkNpm } from './drafts.ts';
import { hashText, listFiles } from './file-list.ts';
import { findInstalled, type InstallPlace, readInstalled } from './find-installed.ts';
import { findNpm } from './find-npm.ts';
import {
  fileListName,
  type InstalledAgent,
  type InstallManifest,
  type InstallPlan,
  manifestName,
  planInstall,
} from './installed-agent.ts';
import { npmEnvironment } from './npm-environment.ts';
import { incomplete, readLockfile } from './read-lockfile.ts';
import { runNpm } from './run-npm.ts';

export type InstallProgress =
  | { readonly stage: 'prepare' }
  /** How many packages have been fetched. */
  | { readonly stage: 'fetch'; readonly packages: number }
  | { readonly stage: 'check' }
  | { readonly stage: 'publish' };

export interface InstallOptions extends InstallPlace {
  /** Ours; npm gets a part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly random: Random;
  readonly onProgress?: (progress: InstallProgress) => void;
  readonly signal?: AbortSignal;
}

/** Does nothing when it is there in this version. */
export async function installAgent(
  entry: CatalogueEntry,
  options: InstallOptions,
): Promise<InstalledAgent> {
  const tell = options.onProgress ?? (() => {});
  openAgentsDir(options.directory);
  await sweepDrafts(options.directory);
  const present = findInstalled(entry, options);
  if (present !== undefined) return present;
  const plan = planInstall(entry, options.platform);
  const draft = await makeDraft(options.directory, options.random);
  try {
    tell({ stage: 'prepare' });
    await fillDraft(plan, draft, options);
    tell({ stage: 'check' });
    await writeManifest(plan, draft, options);
    tell({ stage: 'publish' });
    await publish(draft, join(options.directory, plan.placeName), () =>
      findInstalled(entry, options),
    );
  } catch (error) {
    throw hasErrno(error, 'ENOSPC', 'EDQUOT') ? diskFull(error) : error;
  } finally {
    // After the rename there is nothing of this name.
    await removeTree(draft);
  }
  const installed = findInstalled(entry, options);
  if (installed === undefined)
    throw incomplete(`${entry.name} vanished while it was installed`, {});
  return installed;
}

async function fillDraft(plan: InstallPlan, draft: string, options: InstallOptions): Promise<void> {
  const { node, env, onProgress, signal } = options;
  const dependencies = plan.packages.map(({ name, version }) => [name, version] as const);
  const manifest = { private: true, dependencies: Object.fromEntries(dependencies) };
  writeFileSync(join(draft, 'package.json'), JSON.stringify(manifest));
  await runNpm({
    argv: findNpm(node, env['PATH'] ?? '').argv,
    env: npmEnvironment(env, node),
    draft,
    signal,
    onStart: (pid) => markNpm(draft, pid),
    onFetched: (packages) => onProgress?.({ stage: 'fetch', packages }),
  });
  await unmarkNpm(draft);
}

async function writeManifest(
  { entry, platform, packages }: InstallPlan,
  draft: string,
  { signal, node }: InstallOptions,
): Promise<void> {
  const locked = readLockfile(draft, packages);
  const { files, bytes } = await listFiles(draft, signal);
  const list = JSON.stringify(files);
  writeFileSync(join(draft, fileListName), list);
  const manifest: InstallManifest = {
    format: 1,
    name: entry.name,
    platform,
    packages,
    ...locked,
    files: hashText(list),
    bytes,
  };
  writeFileSync(join(draft, manifestName), JSON.stringify(manifest));
  if (readInstalled(planInstall(entry, platform), draft, node) !== undefined) return;
  // npm leaves an optional package out without a word when it cannot be had.
  const { path } = entry.program[platform];
  throw incomplete(`the program of ${entry.name} was not installed: ${path}`, { path });
}

async function publish(draft: string, place: string, find: () => unknown): Promise<void> {
  for (;;) {
    try {
      await rename(draft, place);
      return;
    } catch (error) {
      if (!hasErrno(error, 'ENOTEMPTY', 'EEXIST')) throw error;
      // Another installation was quicker, with the same packages.
      if (find() !== undefined) return;
      // Something unusable has the name, such as one whose manifest was deleted.
      await removeTree(place);
    }
  }
}

function diskFull(cause: unknown): AgentsError {
  return new AgentsError('install-disk-full', 'the disk is full', {
    cause,
    hint: 'make room, then try again; nothing was left behind',
  });
}
