/*
 * The working tree: the directory of a session, in which starter programs read unasked.
 *
 * It is a directory that a person chose: where `clf mcp` was started, or what the gateway is set to. An agent names the directory
 * of each command itself, so that one draws no boundary. Some choices are none: people start things in their home
 * directory without a thought, and there lie the keys; and our own files hold tokens and other people's output.
 */
import { isInside } from './real-paths.ts';

export interface TreeBounds {
  readonly homes: readonly string[];
  /* Directories and files of our own: settings, state, secrets. */
  readonly ours: readonly string[];
}

/* Why this directory cannot be a working tree, if it cannot. All paths are real. */
export function whyNoTree(directory: string, { homes, ours }: TreeBounds): string | undefined {
  if (directory === '/') return 'it is the root of all files';
  if (homes.includes(directory)) return 'it is the home directory';
  if (homes.some((home) => isInside(home, directory))) return 'the home directory is in it';
  if (ours.some((path) => isInside(path, directory))) return "files of Clawdfather's own are in it";
  if (ours.some((path) => isInside(directory, path))) return "it is one of Clawdfather's own";
  return undefined;
}
