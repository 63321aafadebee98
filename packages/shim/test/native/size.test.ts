/*
 * Whose size a terminal has: the program in C against the transition in next-size.ts, over every state and every event; and a real
 * terminal that is asked for its size.
 */
import assert from 'node:assert/strict';
import type { ControlLink } from '../../src/index.ts';
import { beginSize, inForce, nextSize, type Size } from './next-size.ts';
import type { SizeEvent, SizeState } from './next-size.ts';
import { nativeTest, type Rig } from './rig.ts';
import type { Run } from './run.ts';

const pty = { cols: 80, rows: 24 };
const narrow = { cols: 45, rows: 30 };
const wide = { cols: 200, rows: 50 };
const holders = ['first', 'second'] as const;

const events: readonly SizeEvent[] = [narrow, wide].flatMap((size) => [
  { kind: 'set', size } as const,
  ...holders.map((by) => ({ kind: 'hold', by, size }) as const),
]);
const leaving: readonly SizeEvent[] = holders.flatMap((by) => [
  { kind: 'let-go', by } as const,
  { kind: 'gone', by } as const,
]);
const all: readonly SizeEvent[] = [{ kind: 'set', size: pty }, ...events, ...leaving];
/* Three sizes of the run's own, with no holder, one or both, each with one of two sizes, in every order. */
const statesExpected = 3 * (1 + 2 * 2 * 2 + 2 * 2 * 6);

/* The shortest way from a state to an event that was not tried in the state that it finds; empty: all were tried. */
function wayToUntried(from: SizeState, tried: ReadonlySet<string>): readonly SizeEvent[] {
  const seen = new Set<string>();
  const open: [SizeState, readonly SizeEvent[]][] = [[from, []]];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const [state, way] = next;
    const untried = all.find((event) => !tried.has(nameOf(state, event)));
    if (untried !== undefined) return [...way, untried];
    for (const event of all) {
      const then = nextSize(state, event);
      const name = JSON.stringify(then);
      if (!seen.has(name)) open.push([then, [...way, event]]);
      seen.add(name);
    }
  }
  return [];
}

function nameOf(state: SizeState, event: SizeEvent): string {
  return JSON.stringify([state, event]);
}

/* Does to the run what the event says; `gone` is a connection that ends without a word. */
async function createHands(rig: Rig, run: Run): Promise<(event: SizeEvent) => Promise<void>> {
  const links = new Map<string, ControlLink>();
  const own = await rig.control(run);
  const attach = { type: 'attach', epoch: 1 } as const;
  const linkOf = async (by: string): Promise<ControlLink> => {
    const known = links.get(by);
    if (known !== undefined) return known;
    const link = await rig.control(run);
    // Only so that it can be seen when the shim has heard of its end.
    await link.request({ ...attach, isAttached: true });
    links.set(by, link);
    return link;
  };
  const countOthers = async (): Promise<number> => {
    const { terminalPlace } = await own.request({ ...attach, isAttached: true });
    await own.request({ ...attach, isAttached: false });
    return terminalPlace - 1;
  };
  return async (event) => {
    if (event.kind === 'set') {
      await own.request({ type: 'resize', epoch: 1, ...event.size });
    } else if (event.kind === 'gone') {
      links.get(event.by)?.close();
      links.delete(event.by);
      while ((await countOthers()) !== links.size);
    } else {
      const size = event.kind === 'hold' ? event.size : { cols: 0, rows: 0 };
      await (await linkOf(event.by)).request({ type: 'hold-size', epoch: 1, ...size });
    }
  };
}

async function sizesOf(run: Run): Promise<readonly Size[]> {
  return (await run.entries()).flatMap((entry) =>
    entry.kind === 'resize' ? [{ cols: entry.cols, rows: entry.rows }] : [],
  );
}

nativeTest(
  'Z1, Z2, Z3: the newest wish is in force, and what leaves gives way to the one before it',
  async (rig) => {
    const run = await rig.sh('echo ready; exec sleep 600', { pty });
    await run.says('ready');
    const act = await createHands(rig, run);
    let state = beginSize(pty);
    const expected = [pty];
    const step = async (event: SizeEvent): Promise<void> => {
      const before = inForce(state);
      state = nextSize(state, event);
      const after = inForce(state);
      const isChanged = before.cols !== after.cols || before.rows !== after.rows;
      if (isChanged || event.kind === 'set') expected.push(after);
      await act(event);
    };
    const tried = new Set<string>();
    let way = wayToUntried(state, tried);
    while (way.length > 0) {
      for (const event of way) {
        tried.add(nameOf(state, event));
        await step(event);
      }
      way = wayToUntried(state, tried);
    }
    assert.equal(tried.size, statesExpected * all.length, 'every event in every state');
    assert.deepEqual(await sizesOf(run), expected);
  },
);

nativeTest(
  'Z1: a terminal has its old size when the one that had another is killed',
  async (rig) => {
    const run = await rig.sh('trap "stty size" WINCH; echo ready; while :; do sleep 0.01; done', {
      pty,
    });
    await run.says('ready');
    const link = await rig.control(run);
    await link.request({ type: 'hold-size', epoch: 1, ...narrow });
    await run.says('30 45');
    link.close();
    await run.says('24 80');
    assert.deepEqual(await sizesOf(run), [pty, narrow, pty]);
  },
);

nativeTest('a size that is none is refused, and so is one of a run on pipes', async (rig) => {
  const run = await rig.sh('echo ready; exec sleep 600', { pty });
  await run.says('ready');
  const link = await rig.control(run);
  for (const half of [
    { cols: 0, rows: 24 },
    { cols: 80, rows: 0 },
  ]) {
    const asked = link.request({ type: 'hold-size', epoch: 1, ...half });
    await assert.rejects(asked, { refusal: 'bad-message' });
  }
  const stale = link.request({ type: 'hold-size', epoch: 7, ...wide });
  await assert.rejects(stale, { refusal: 'stale-epoch' });
  assert.deepEqual(await sizesOf(run), [pty]);
  const piped = await rig.run(['sleep', '600']);
  await piped.started();
  const asked = (await rig.control(piped)).request({ type: 'hold-size', epoch: 1, ...wide });
  await assert.rejects(asked, { refusal: 'unsupported' });
});
