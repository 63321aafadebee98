/*
 * Notifications on this device: what the browser has, what the gateway has of it, and turning them on and off.
 *
 * At each start the two are compared. Where they differ (another key, an address that is gone), the device subscribes anew, without being
 * asked: the permission is there.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { Client } from '@clawdfather/sdk';
import { type Problem, problemOf } from '../data/problem.ts';
import {
  needsRenewal,
  type PushFacts,
  type PushStanding,
  pushStandingOf,
} from './push-standing.ts';
import { subscribeAnew } from './subscribe.ts';

type Known = NonNullable<AnswerOf<Api['push']['get']>['subscription']>;
export type PushClasses = Known['classes'];

export interface DevicePush {
  /* Undefined: not looked at yet. */
  readonly standing: ReadonlySignal<PushStanding | undefined>;
  readonly known: ReadonlySignal<Known | undefined>;
  readonly problem: ReadonlySignal<Problem | undefined>;
  /* Looks, and puts in order what can be. */
  check(): Promise<void>;
  /* The same, where a permission was given: others have nothing that could be in disorder. */
  checkAtStart(): Promise<void>;
  /* In a tap: the browser asks the person. */
  turnOn(): Promise<void>;
  turnOff(): Promise<void>;
  choose(classes: Partial<PushClasses>): Promise<void>;
  test(): Promise<AnswerOf<Api['push']['test']> | undefined>;
}

export interface DevicePushDeps {
  readonly client: Client;
  readonly page: Window & typeof globalThis;
}

export function openDevicePush({ client, page }: DevicePushDeps): DevicePush {
  const standing = signal<PushStanding | undefined>(undefined);
  const known = signal<Known | undefined>(undefined);
  const problem = signal<Problem | undefined>(undefined);
  const look = async (): Promise<PushFacts> => {
    const { key_id: keyId, subscription } = await client.push.get();
    known.value = subscription ?? undefined;
    const push = await pushOf(page);
    const endpoint = (await push?.getSubscription())?.endpoint;
    const facts = { ...deviceFacts(page), endpoint, known: known.value, keyId };
    standing.value = pushStandingOf(facts);
    return facts;
  };
  const renew = async (): Promise<void> => {
    const push = await pushOf(page);
    if (push === undefined) return;
    await subscribeAnew(client, push);
    await look();
  };
  const tried = async (work: () => Promise<void>): Promise<void> => {
    try {
      problem.value = undefined;
      await work();
    } catch (error) {
      problem.value = problemOf(error);
    }
  };
  const check = (): Promise<void> =>
    tried(async () => {
      if (needsRenewal(await look())) await renew();
    });
  return {
    standing,
    known,
    problem,
    check,
    checkAtStart: async () => {
      if (deviceFacts(page).permission === 'granted') await check();
    },
    turnOn: () =>
      tried(async () => {
        // Asked first: only a tap may ask, and whatever is waited for before uses it up.
        const permission = await page.Notification.requestPermission();
        if (permission === 'granted') await renew();
        else await look();
      }),
    turnOff: () =>
      tried(async () => {
        await client.push.unsubscribe();
        await unsubscribe(page);
        await look();
      }),
    choose: (classes) =>
      tried(async () => {
        known.value = await client.push.update({ body: { classes } });
      }),
    test: async () => {
      let answer: AnswerOf<Api['push']['test']> | undefined;
      await tried(async () => {
        answer = await client.push.test();
        await look();
      });
      return answer;
    },
  };
}

function deviceFacts(
  page: Window & typeof globalThis,
): Pick<PushFacts, 'isSecure' | 'isSupported' | 'isIos' | 'isInstalled' | 'permission'> {
  const { navigator } = page;
  const isSupported =
    'serviceWorker' in navigator && 'PushManager' in page && 'Notification' in page;
  return {
    isSecure: page.isSecureContext,
    isSupported,
    // An iPad says that it is a Mac, and has a screen to touch.
    isIos:
      /iPhone|iPad|iPod/.test(navigator.userAgent) ||
      (navigator.userAgent.includes('Macintosh') && navigator.maxTouchPoints > 1),
    isInstalled: page.matchMedia('(display-mode: standalone)').matches,
    permission: isSupported ? page.Notification.permission : 'default',
  };
}

/* Undefined: there is no worker, or no push. */
async function pushOf(page: Window & typeof globalThis): Promise<PushManager | undefined> {
  return (await registrationOf(page))?.pushManager;
}

async function registrationOf(
  page: Window & typeof globalThis,
): Promise<ServiceWorkerRegistration | undefined> {
  if (!('serviceWorker' in page.navigator)) return undefined;
  const { serviceWorker } = page.navigator;
  // Without one that is registered, `ready` would wait for ever.
  const registered = await serviceWorker.getRegistration();
  return registered === undefined ? undefined : serviceWorker.ready;
}

async function unsubscribe(page: Window & typeof globalThis): Promise<void> {
  await (await (await pushOf(page))?.getSubscription())?.unsubscribe();
}
