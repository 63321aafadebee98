/*
 * Lets the newer build take over, if there is one: loaded when a person asks for it, and after it the page is loaded anew, whatever came of it.
 *
 * A page that is too old for its gateway is told so as soon as the gateway is another one, before the newer build is here. The browser then
 * says of an update that it is found, not that it is installed; loaded anew before that, the page would be the old one again.
 */
import { type Clock, deferred, within } from '@clawdfather/kit';

/* A phone on a slow network has the files of a build by then. */
const comeMsMax = 20_000;
/* It takes over when the one before has ended what it does, such as sending a message. A page that waits for ever for a reload is worse than one of the old build. */
const takeOverMsMax = 10_000;

export async function takeNewer(
  container: ServiceWorkerContainer,
  registration: ServiceWorkerRegistration,
  clock: Clock,
): Promise<void> {
  const late = (): void => {};
  if (registration.waiting === null)
    await within(newerOf(registration), { clock, ms: comeMsMax, late });
  const { waiting } = registration;
  if (waiting === null) return;
  const changed = deferred<unknown>();
  container.addEventListener('controllerchange', changed.resolve, { once: true });
  waiting.postMessage('take-over');
  await within(changed.promise, { clock, ms: takeOverMsMax, late });
}

/* Until it is here, or cannot be had, or there is none. */
async function newerOf(registration: ServiceWorkerRegistration): Promise<void> {
  await registration.update().catch(() => undefined);
  const { installing } = registration;
  if (installing === null) return;
  const ended = deferred<unknown>();
  installing.addEventListener('statechange', ended.resolve, { once: true });
  await ended.promise;
}
