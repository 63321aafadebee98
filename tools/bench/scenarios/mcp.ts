/*
 * Scenario `mcp`: a trivial command through MCP, from the call to its result, beside desktop-commander's tool for it and beside a
 * bare child_process. One client process drives all, in rounds that take turns.
 */
import { type ClosedLoopResult, measureClosedLoop } from '../measure/closed-loop.ts';
import { type McpPeer, openMcpPeer } from '../mcp/mcp-peer.ts';
import { type Aim, aimOfRatio, aimOfValue, type Row } from '../report/result.ts';
import type { Scenario, ScenarioDeps } from './scenario.ts';
import { rowOf } from './side-by-side.ts';

const concurrencies = [1, 8] as const;

export const mcpScenario: Scenario = {
  name: 'mcp',
  run: async (deps) => {
    await using opened = new AsyncDisposableStack();
    const peers: McpPeer[] = [];
    for (const name of deps.sizes.mcpPeers) {
      deps.progress(`open ${name}`);
      peers.push(opened.use(await openMcpPeer(name, deps.makeDir(name.replace(' ', '-')))));
    }
    const rows: Row[] = [];
    for (const concurrency of concurrencies) {
      deps.progress(`${concurrency} at a time`);
      rows.push(...rowsOf(concurrency, await measure(peers, deps, concurrency)));
    }
    return { name: 'mcp', title: 'A trivial command through MCP', rows, aims: aimsOf(rows) };
  },
};

async function measure(
  peers: readonly McpPeer[],
  { sizes }: ScenarioDeps,
  concurrency: number,
): Promise<ReadonlyMap<string, readonly ClosedLoopResult[]>> {
  const results = new Map<string, ClosedLoopResult[]>(peers.map((peer) => [peer.contender, []]));
  for (const { runOnce } of peers) {
    await measureClosedLoop({ concurrency, durationMs: sizes.warmUpMs }, runOnce);
  }
  for (let round = 0; round < sizes.rounds; round += 1) {
    for (let turn = 0; turn < peers.length; turn += 1) {
      const peer = peers[(turn + round) % peers.length];
      if (peer === undefined) continue;
      const loop = { concurrency, durationMs: sizes.spawnMs };
      results.get(peer.contender)?.push(await measureClosedLoop(loop, peer.runOnce));
    }
  }
  return results;
}

function rowsOf(
  concurrency: number,
  results: ReadonlyMap<string, readonly ClosedLoopResult[]>,
): readonly Row[] {
  const lower = { unit: 'ms', better: 'lower' } as const;
  const at = `at ${concurrency}`;
  const rate = { measure: `commands ${at}`, unit: '1/s', better: 'higher' } as const;
  return [
    rowOf(results, rate, ({ perSecond }) => perSecond),
    rowOf(results, { measure: `p50 ${at}`, ...lower }, ({ latencyMs }) => latencyMs.p50),
    rowOf(results, { measure: `p99 ${at}`, ...lower }, ({ latencyMs }) => latencyMs.p99),
  ];
}

function aimsOf(rows: readonly Row[]): readonly Aim[] {
  const [rate, p50] = rows;
  if (rate === undefined || p50 === undefined) throw new TypeError('there are no rows');
  const ours = p50.cells.get('clf mcp')?.median ?? Number.NaN;
  const bare = p50.cells.get('child_process')?.median ?? Number.NaN;
  const peer = 'desktop-commander';
  const overBare = aimOfValue({
    text: 'a command through MCP: p50 at most 2 ms above a bare spawn',
    value: ours - bare,
    unit: 'ms above',
    atMost: 2,
  });
  // A smoke run does without the peer.
  if (!rate.cells.has(peer)) return [overBare];
  const text = 'commands through MCP: at least 2 times desktop-commander';
  return [aimOfRatio({ text, row: rate, against: peer, atLeast: 2 }), overBare];
}
