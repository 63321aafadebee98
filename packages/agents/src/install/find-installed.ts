/*
 * Whether an agent is installed in the version that is pinned, and whether its files are still those that were installed.
 *
 * Looking is cheap, because every start does it: the manifest is read, and the program is there. Verifying reads every byte.
 */
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CatalogueEntry, Platform } from '../catalogue/agent-entry.ts';
import { compareFiles, type FileList, type FileProblem, hashText, listFiles } from './file-list.ts';
import {
  argvOf,
  fileListName,
  type InstalledAgent,
  type InstallManifest,
  type InstallPlan,
  isPlaceOf,
  manifestName,
  planInstall,
} from './installed-agent.ts';

export interface InstallPlace {
  /** Where agents are installed: a directory of ours. */
  readonly directory: string;
  readonly platform: Platform;
  /** Our own Node, which runs agents that are scripts. */
  readonly node: string;
}

/** Undefined when it is not installed, or only in another version. */
export function findInstalled(
  entry: CatalogueEntry,
  place: InstallPlace,
): InstalledAgent | undefined {
  const plan = planInstall(entry, place.platform);
  return readInstalled(plan, join(place.directory, plan.placeName), place.node);
}

/** The directories of other versions. They may still be in use. */
export function findOlder(entry: CatalogueEntry, place: InstallPlace): readonly string[] {
  const { placeName } = planInstall(entry, place.platform);
  return findPlaces(entry.name, place.directory).filter((name) => name !== placeName);
}

export function findPlaces(name: string, directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((candidate) => isPlaceOf(name, candidate));
  } catch {
    // No agent was ever installed.
    return [];
  }
}

export function readInstalled(
  { entry, platform }: InstallPlan,
  at: string,
  node: string,
): InstalledAgent | undefined {
  const manifest = readManifest(at);
  if (manifest === undefined || manifest.name !== entry.name || manifest.platform !== platform) {
    return undefined;
  }
  const program = entry.program[platform];
  const { terminal } = entry.signIn[platform];
  const needs = program.kind === 'native' ? constants.X_OK : constants.R_OK;
  if (!isUsable(join(at, 'node_modules', program.path), needs)) return undefined;
  return {
    name: entry.name,
    version: manifest.packages[0]?.version ?? '',
    place: at,
    argv: [...argvOf(at, program, node), ...entry.args],
    signInArgv: [...argvOf(at, terminal.program, node), ...terminal.args],
    integrity: manifest.integrity,
    bytes: manifest.bytes,
  };
}

/** Empty when every file is as it was installed. */
export async function verifyInstalled(
  { place }: Pick<InstalledAgent, 'place'>,
  signal?: AbortSignal,
): Promise<readonly FileProblem[]> {
  const manifest = readManifest(place);
  const list = await readFile(join(place, fileListName), 'utf8').catch(() => '');
  if (manifest === undefined) return [{ path: manifestName, problem: 'missing' }];
  if (hashText(list) !== manifest.files) return [{ path: fileListName, problem: 'changed' }];
  const { files } = await listFiles(place, signal);
  return compareFiles(JSON.parse(list) as FileList, files);
}

function readManifest(place: string): InstallManifest | undefined {
  try {
    const manifest = JSON.parse(readFileSync(join(place, manifestName), 'utf8')) as InstallManifest;
    return manifest.format === 1 ? manifest : undefined;
  } catch {
    // Missing, or cut off: then it is not installed, and installing it again mends it.
    return undefined;
  }
}

function isUsable(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
