/*
 * An agent as it lies on the disk, and the manifest that says so. A directory without a whole manifest is not installed.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type {
  CatalogueEntry,
  PinnedPackage,
  Platform,
  ProgramFile,
} from '../catalogue/agent-entry.ts';

export interface InstalledAgent {
  readonly name: string;
  readonly version: string;
  /** The directory with its `node_modules`. */
  readonly place: string;
  readonly argv: readonly string[];
  readonly signInArgv: readonly string[];
  /** See `InstallManifest.integrity`. */
  readonly integrity: string;
  readonly bytes: number;
}

export interface InstallManifest {
  readonly format: 1;
  readonly name: string;
  readonly platform: Platform;
  readonly packages: readonly PinnedPackage[];
  /** Every package with the hash that npm's lockfile has of it. */
  readonly lockfile: Readonly<Record<string, string>>;
  /** One digest of all those, part of the command's hash. */
  readonly integrity: string;
  /** The hash of the list of files (`fileListName`). */
  readonly files: string;
  readonly bytes: number;
}

export const manifestName = 'manifest.json';
export const fileListName = 'files.json';

/** Which files an installation is started from, and where everything lies. */
export interface InstallPlan {
  readonly entry: CatalogueEntry;
  readonly platform: Platform;
  readonly packages: readonly PinnedPackage[];
  /** A new version or another platform is another directory, so a running agent keeps its files. */
  readonly placeName: string;
}

export function planInstall(entry: CatalogueEntry, platform: Platform): InstallPlan {
  const packages = entry.packages[platform];
  const pins = packages.map(({ name, version }) => `${name}@${version}`).join(' ');
  const digest = createHash('sha256').update(`${platform} ${pins}`).digest('hex').slice(0, 12);
  const version = packages[0]?.version ?? '0';
  return { entry, platform, packages, placeName: `${entry.name}-${version}-${digest}` };
}

/** A directory of this agent, in any version. Names of agents have no hyphen followed by a digit. */
export function isPlaceOf(name: string, directory: string): boolean {
  return (
    directory.startsWith(`${name}-`) &&
    /^\d[\w.+-]*-[0-9a-f]{12}$/.test(directory.slice(name.length + 1))
  );
}

export function argvOf(place: string, program: ProgramFile, node: string): readonly string[] {
  const path = join(place, 'node_modules', program.path);
  return program.kind === 'script' ? [node, path] : [path];
}
