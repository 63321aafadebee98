/*
 * How much of everything: the whole measurement, and a smoke run that only shows that the benchmark still works.
 */
import { type McpPeerName, mcpPeerNames } from './mcp/mcp-peer.ts';

export interface Sizes {
  readonly rounds: number;
  readonly spawnMs: number;
  readonly warmUpMs: number;
  readonly concurrencies: readonly number[];
  readonly heapBytes: number;
  readonly streamRounds: number;
  readonly streamBytes: number;
  /* A terminal in Node is some twenty times slower; the rate does not depend on the amount. */
  readonly terminalStreamBytes: number;
  readonly echoRoundTrips: number;
  readonly echoPauseMs: number;
  readonly killTrials: number;
  readonly idleRuns: number;
  readonly adoptRounds: number;
  readonly adoptRuns: number;
  readonly records: readonly number[];
  readonly mcpPeers: readonly McpPeerName[];
}

const megabyte = 1024 ** 2;

export const fullSizes: Sizes = {
  rounds: 5,
  spawnMs: 1_500,
  warmUpMs: 700,
  concurrencies: [1, 8, 32],
  heapBytes: 1024 * megabyte,
  streamRounds: 3,
  streamBytes: 2048 * megabyte,
  terminalStreamBytes: 256 * megabyte,
  echoRoundTrips: 300,
  echoPauseMs: 3,
  killTrials: 100,
  idleRuns: 200,
  adoptRounds: 3,
  adoptRuns: 1_000,
  records: [0, 1_000, 10_000, 100_000],
  mcpPeers: mcpPeerNames,
};

export const quickSizes: Sizes = {
  rounds: 1,
  spawnMs: 100,
  warmUpMs: 50,
  concurrencies: [1, 8],
  heapBytes: 32 * megabyte,
  streamRounds: 1,
  streamBytes: 16 * megabyte,
  terminalStreamBytes: 4 * megabyte,
  echoRoundTrips: 10,
  echoPauseMs: 1,
  killTrials: 2,
  idleRuns: 10,
  adoptRounds: 1,
  adoptRuns: 20,
  records: [0, 500],
  // The third one is 230 MB to fetch, too much for a smoke run.
  mcpPeers: ['clf mcp', 'child_process'],
};
