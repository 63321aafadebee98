/*
 * What the tabs of one device tell the gateway together: it is looked at while any of them is, whichever request arrives last.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signal } from '@preact/signals';
import { deferred, type Deferred } from '@clawdfather/kit';
import { createFakeClock, createSeededRandom } from '@clawdfather/testkit';
import { openOtherTabs, type TabLine } from '../../src/notifications/other-tabs.ts';
import { type PresenceDeps, reportPresence } from '../../src/notifications/report-presence.ts';

type State = 'visible' | 'hidden';

function openDevice() {
  const clock = createFakeClock();
  /* What the gateway believes: the last request that has arrived. */
  const gateway: { believes: State; slow: Deferred<void> | undefined } = {
    believes: 'hidden',
    slow: undefined,
  };
  const client = {
    presence: {
      report: async ({ body }: { readonly body: { readonly state: State } }) => {
        const { slow } = gateway;
        gateway.slow = undefined;
        await slow?.promise;
        gateway.believes = body.state;
        return { visible_until: null, again_after_ms: 30_000 };
      },
    },
  } as unknown as PresenceDeps['client'];
  const lines = new Set<{ readonly heard: ((event: { data: unknown }) => void)[] }>();
  const openLine = (): TabLine => {
    const line = { heard: [] as ((event: { data: unknown }) => void)[] };
    lines.add(line);
    return {
      postMessage: (data) => {
        for (const other of lines)
          if (other !== line) for (const hear of other.heard) hear({ data });
      },
      addEventListener: (_type, listener) => void line.heard.push(listener),
    };
  };
  const openTab = (seed: number) => {
    let visibilityState: State = 'hidden';
    let changed = (): void => {};
    const document = {
      get visibilityState() {
        return visibilityState;
      },
      addEventListener: (_type: string, listener: () => void) => {
        changed = listener;
      },
    } as unknown as PresenceDeps['document'];
    const others = openOtherTabs(openLine(), { clock, random: createSeededRandom(seed) });
    reportPresence({ client, clock, document, others, isWanted: signal(true) });
    return {
      turn: (state: State) => {
        visibilityState = state;
        changed();
      },
    };
  };
  return { clock, gateway, openTab };
}

/* The first is looked at, and all that it says of that is said. */
async function openTwoTabs(other: 'visible' | 'hidden') {
  const { clock, gateway, openTab } = openDevice();
  const [first, second] = [openTab(1), openTab(2)];
  first.turn('visible');
  if (other === 'visible') second.turn('visible');
  await clock.advance(5_000);
  return { clock, gateway, first, second };
}

test('a tab that is put away says nothing while another one is looked at', async () => {
  const { clock, gateway, first, second } = await openTwoTabs('visible');
  first.turn('hidden');
  await clock.advance(100);
  assert.equal(gateway.believes, 'visible');
  second.turn('hidden');
  await clock.advance(100);
  assert.equal(gateway.believes, 'hidden');
});

test('when two are put away in the same moment, it is said', async () => {
  const { clock, gateway, first, second } = await openTwoTabs('visible');
  first.turn('hidden');
  second.turn('hidden');
  await clock.advance(100);
  assert.equal(gateway.believes, 'hidden');
});

test('from one tab to another: that the first was put away arrives last, and the second says again that it is looked at', async () => {
  const { clock, gateway, first, second } = await openTwoTabs('hidden');
  const slow = deferred<void>();
  gateway.slow = slow;
  first.turn('hidden');
  second.turn('visible');
  await clock.advance(100);
  assert.equal(gateway.believes, 'visible');
  slow.resolve();
  await clock.advance(100);
  assert.equal(gateway.believes, 'visible');
});

test('a tab that was closed while it was put away cannot tell; the other one says it again within seconds', async () => {
  const { clock, gateway, first, second } = await openTwoTabs('hidden');
  first.turn('hidden');
  second.turn('visible');
  await clock.advance(100);
  // As if the request of the page that is gone had arrived only now.
  gateway.believes = 'hidden';
  await clock.advance(4_000);
  assert.equal(gateway.believes, 'visible');
});
