/*
 * Hears of commands for which a host had no session (sshd's MaxSessions): the client makes an empty file of the run's name and asks again
 * by itself. Nothing is made, and nothing happens here, while the host has enough.
 */
import { type FSWatcher, watch } from 'node:fs';
import type { LiveHost } from './host-sessions.ts';

export interface CrowdWatch extends Disposable {
  /* From now until its master has ended; once for each host is enough. */
  begin(host: LiveHost, directory: string): void;
}

export function createCrowdWatch(refused: (host: LiveHost, runId: string) => void): CrowdWatch {
  const watchers = new Map<LiveHost, FSWatcher | undefined>();
  const end = (host: LiveHost): void => {
    watchers.get(host)?.close();
    watchers.delete(host);
  };
  return {
    begin: (host, directory) => {
      if (watchers.has(host)) return;
      watchers.set(
        host,
        openWatcher(directory, (name) => refused(host, name)),
      );
      void host.master.ended.then(() => end(host));
    },
    [Symbol.dispose]: () => {
      for (const host of watchers.keys()) end(host);
    },
  };
}

/* Without it the limit is learned when a command that was refused has ended. */
function openWatcher(directory: string, made: (name: string) => void): FSWatcher | undefined {
  try {
    const watcher = watch(directory, { persistent: false }, (_, name) => {
      if (name !== null) made(name);
    });
    watcher.on('error', () => {});
    return watcher;
  } catch {
    return undefined;
  }
}
