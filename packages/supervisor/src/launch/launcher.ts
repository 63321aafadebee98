/*
 * How runs are started: through one spawnd, or a shim directly (S3).
 *
 * A gateway asks its spawnd: forking that is cheap whatever the gateway's size. It is started with the first run,
 * and again after it died; a run that was asked for and lost with it hears `lost`. The CLI starts shims itself, so
 * that its own limits, groups and namespaces hold.
 */
import type { Clock } from '@clawdfather/kit';
import {
  type RunEvent,
  type SpawndLink,
  type SpawnRequest,
  startShimDirect,
  startSpawnd,
} from '@clawdfather/shim';

export interface Launcher {
  /* Rejects when nothing was asked of anybody; afterwards all news come as events. */
  launch(request: SpawnRequest, onEvent: (event: RunEvent) => void): Promise<Launched>;
  close(): void;
}

/* While referenced, news of the run keep this process alive. */
export interface Launched {
  ref(): void;
  unref(): void;
  close(): void;
}

export interface LauncherDeps {
  readonly binaryPath: string;
  readonly clock: Clock;
  readonly logFd?: number | undefined;
  /* For test builds of the shim. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly onSpawndLost: () => void;
  /* Not for the first one. */
  readonly onSpawndRestarted: (pid: number) => void;
}

export function createDirectLauncher(deps: LauncherDeps): Launcher {
  return {
    launch: async (request, onEvent) => {
      const link = startShimDirect(request, { ...deps, onEvent });
      link.unref();
      return link;
    },
    close: () => {},
  };
}

export function createSpawndLauncher(deps: LauncherDeps): Launcher {
  let starting: Promise<SpawndLink> | undefined;
  let current: SpawndLink | undefined;
  let hasStarted = false;
  let waiting = 0;
  let isClosed = false;

  const start = async (): Promise<SpawndLink> => {
    const link = await startSpawnd({ ...deps, onLost: deps.onSpawndLost });
    if (isClosed) link.close();
    else if (hasStarted) deps.onSpawndRestarted(link.hello.pid);
    hasStarted = true;
    current = link;
    return link;
  };

  /* Shared by all who come while it starts; forgotten when it failed, so that the next one tries again. */
  const link = (): Promise<SpawndLink> => {
    if (current !== undefined && !current.isLost) return Promise.resolve(current);
    current = undefined;
    starting ??= start().finally(() => {
      starting = undefined;
    });
    return starting;
  };

  const launched = (spawnd: SpawndLink, handle: number): Launched => {
    let isReferenced = false;
    const unref = (): void => {
      if (!isReferenced) return;
      isReferenced = false;
      waiting -= 1;
      if (waiting === 0) spawnd.unref();
    };
    return {
      ref: () => {
        if (isReferenced) return;
        isReferenced = true;
        waiting += 1;
        spawnd.ref();
      },
      unref,
      close: () => {
        unref();
        spawnd.forget(handle);
      },
    };
  };

  return {
    launch: async (request, onEvent) => {
      const spawnd = await link();
      return launched(spawnd, spawnd.spawn(request, onEvent));
    },
    close: () => {
      isClosed = true;
      current?.close();
    },
  };
}
