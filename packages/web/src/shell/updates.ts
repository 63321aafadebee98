/*
 * The app's worker, seen from a page: it is registered, asked for a newer build now and then, and told to take over when a person wants that.
 *
 * A newer build is only ever offered. The page that is open goes on with its own files until it is reloaded.
 */
import type { Clock } from '@clawdfather/kit';
import { buildIdOf, cacheOf } from '../worker/build-files.ts';
import { waitingTag } from '../worker/waiting-tag.ts';
import { trustedAddress } from '../worker/trusted-address.ts';

export interface Updates {
  /* Loads the page anew, with the newer build if one is here. */
  apply(): Promise<void>;
  /* Looks for a newer one. Not more often than is of use. */
  look(): void;
  lookNow(): Promise<void>;
  /* The system wakes the worker when there is a network again, where it can. */
  wakeLater(): Promise<void>;
}

export interface UpdatesDeps {
  readonly page: Window;
  readonly clock: Clock;
  /* Another build than the page's own is on this device. Undefined: it is the page's own, so there is nothing to offer. */
  readonly onWaiting: (build: string | undefined) => void;
}

/* The browser itself looks at every load of the page; this is for pages that stay open. */
const lookEveryMs = 10 * 60_000;

export function openUpdates(deps: UpdatesDeps): Updates {
  const { page, clock } = deps;
  // Without https there is none, and the app works all the same.
  const container = 'serviceWorker' in page.navigator ? page.navigator.serviceWorker : undefined;
  const registering = container === undefined ? undefined : register(container, deps);
  let lookedAtMs = clock.monotonicMs();
  // Without a network there is nothing newer.
  const lookNow = async (): Promise<void> => {
    lookedAtMs = clock.monotonicMs();
    await (await registering)?.update().catch(() => undefined);
  };
  if (container !== undefined) holdBuild(page);
  return {
    look: () => {
      if (clock.monotonicMs() - lookedAtMs >= lookEveryMs) void lookNow();
    },
    lookNow,
    apply: async () => {
      try {
        const registration = await registering;
        if (container !== undefined && registration !== undefined) {
          const { takeNewer } = await import('./take-newer.ts');
          await takeNewer(container, registration, clock);
        }
      } catch {
        // The code for it cannot be had: what the page then gets is for the worker to say.
      }
      page.location.reload();
    },
    wakeLater: async () => {
      const registration: SyncRegistration | undefined = await registering;
      // Not every browser has it, and not every person allows it.
      await registration?.sync?.register(waitingTag).catch(() => undefined);
    },
  };
}

interface SyncRegistration extends ServiceWorkerRegistration {
  readonly sync?: { register(tag: string): Promise<void> };
}

async function register(
  container: ServiceWorkerContainer,
  { page, clock, onWaiting }: UpdatesDeps,
): Promise<ServiceWorkerRegistration | undefined> {
  if (!import.meta.env.PROD) return undefined;
  await loaded(page);
  try {
    const options = { scope: '/', updateViaCache: 'none' } as const;
    const registration = await container.register(trustedAddress('/sw.js'), options);
    const look = async (): Promise<void> => {
      const { waiting } = registration;
      // The first one of all is no update.
      if (waiting === null || container.controller === null) return;
      const build = await buildOf(waiting, clock);
      onWaiting(build === ownBuild(page) ? undefined : build);
    };
    registration.addEventListener('updatefound', () => {
      registration.installing?.addEventListener('statechange', () => void look());
    });
    void look();
    registration.active?.postMessage('clean');
    return registration;
  } catch {
    // The browser refuses it, such as in some private windows: then there is only the network.
    return undefined;
  }
}

/* One that does not answer is of a version that cannot; it counts as a build of its own. */
const buildMsMax = 2_000;

async function buildOf(worker: ServiceWorker, clock: Clock): Promise<string> {
  const { port1, port2 } = new MessageChannel();
  const told = new Promise<string>((resolve) => {
    port1.addEventListener('message', ({ data }: MessageEvent<unknown>) => resolve(String(data)));
    port1.start();
  });
  worker.postMessage('which-build', [port2]);
  const build = await Promise.race([told, clock.sleep(buildMsMax)]);
  port1.close();
  return build ?? 'unknown';
}

/* What the first screen needs comes first. */
function loaded(page: Window): Promise<void> {
  if (page.document.readyState === 'complete') return Promise.resolve();
  return new Promise((resolve) => {
    page.addEventListener('load', () => resolve(), { once: true });
  });
}

/* For as long as the page lives: the files of its build stay (worker/build-files.ts). */
function holdBuild(page: Window): void {
  const name = cacheOf(ownBuild(page));
  const hold = (): Promise<never> => new Promise<never>(() => {});
  void page.navigator.locks?.request(name, { mode: 'shared' }, hold);
}

function ownBuild({ document }: Window): string {
  const script = document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? '';
  const style = document.querySelector<HTMLLinkElement>('link[rel=stylesheet]')?.href ?? '';
  return buildIdOf(script, style);
}
