/*
 * How runs are started: through one spawnd, or a shim directly (S3).
 *
 * A gateway asks its spawnd: forking that is cheap whatever the gateway's size. It is started with the first run,
 * and again after it died; a start that it did not answer is asked of the next one (start-through.ts). The CLI starts shims
 * itself, so that its own limits, groups and namespaces hold.
 */
import type { Clock } from '@clawdfather/kit';
import { type RunEvent, type SpawnRequest, startShimDirect, startSpawnd } from '@clawdfather/shim';
import { createHeldSpawnd, type HeldSpawnd } from './held-spawnd.ts';
import { startThrough } from './start-through.ts';

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
  let starting: Promise<HeldSpawnd> | undefined;
  let current: HeldSpawnd | undefined;
  let hasStarted = false;
  let isClosed = false;

  const start = async (): Promise<HeldSpawnd> => {
    const link = await startSpawnd({ ...deps, onLost: deps.onSpawndLost });
    if (isClosed) link.close();
    else if (hasStarted) deps.onSpawndRestarted(link.hello.pid);
    hasStarted = true;
    current = createHeldSpawnd(link);
    return current;
  };

  /* Shared by all who come while it starts; forgotten when it failed, so that the next one tries again. */
  const spawnd = (): Promise<HeldSpawnd> => {
    if (current !== undefined && !current.link.isLost) return Promise.resolve(current);
    current = undefined;
    starting ??= start().finally(() => {
      starting = undefined;
    });
    return starting;
  };

  return {
    launch: (request, onEvent) =>
      startThrough({ request, onEvent, spawnd, isClosed: () => isClosed }),
    close: () => {
      isClosed = true;
      current?.link.close();
    },
  };
}
