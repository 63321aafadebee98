/*
 * The receipt of a drill: what was seen, and whether it proves that nothing was lost.
 */
import { formatDuration } from '../render/duration.ts';
import type { Paint } from '../render/paint.ts';
import { digestOf } from './answer-text.ts';
import type { SeenTurn } from './watch-turn.ts';

export interface TurnEvidence {
  /* As the seed makes it. */
  readonly expected: { readonly bytes: number; readonly sha256: string };
  /* As the agent counted what it said. */
  readonly said: { readonly bytes: number; readonly sha256: string };
  /* Of the reader that was there before the kill and after it. */
  readonly watched: SeenTurn;
  /* Of a reader that came afterwards and began at the beginning. */
  readonly stored: SeenTurn;
  readonly bytesBeforeKill: number;
  readonly gatewayPids: readonly [number, number];
  readonly generations: readonly [number, number];
  readonly agentPids: readonly [number, number | undefined];
  readonly withoutGatewayMs: number;
}

export type TurnReceipt = ReturnType<typeof createReceipt>;

export function createReceipt(evidence: TurnEvidence) {
  const { expected, gatewayPids, generations, agentPids, watched } = evidence;
  const problems = problemsOf(evidence);
  return {
    type: 'turn',
    isProven: problems.length === 0,
    problems,
    bytes: expected.bytes,
    sha256: expected.sha256,
    bytesBeforeKill: evidence.bytesBeforeKill,
    events: watched.lastSeq,
    agentPid: agentPids[0],
    gatewayPids: [...gatewayPids],
    generations: [...generations],
    withoutGatewayMs: Math.round(evidence.withoutGatewayMs),
  } as const;
}

function problemsOf(evidence: TurnEvidence): readonly string[] {
  const { expected, said, watched, stored, generations, agentPids } = evidence;
  const isAsExpected = ({ sha256 }: { readonly sha256: string }): boolean =>
    sha256 === expected.sha256;
  const checks: readonly (readonly [boolean, string])[] = [
    [isAsExpected(said), 'the agent did not say all of its answer, or not once'],
    [isAsExpected(digestOf(watched.text)), 'the text that was watched is not what the agent said'],
    [isAsExpected(digestOf(stored.text)), 'the text that is stored is not what the agent said'],
    [watched.holes + stored.holes === 0, 'numbers of events are missing'],
    [watched.status === 'completed', `the turn is ${watched.status ?? 'not over'}`],
    [agentPids[0] === agentPids[1], 'the agent is another process, or is gone'],
    [generations[0] < generations[1], 'the agent was not taken over by the next gateway'],
    [evidence.bytesBeforeKill < expected.bytes, 'the kill came after the answer'],
  ];
  return checks.filter(([isSo]) => !isSo).map(([, problem]) => problem);
}

export function formatReceipt(receipt: TurnReceipt, paint: Paint): string {
  const { gatewayPids, generations, bytes, bytesBeforeKill } = receipt;
  const rows = [
    ['text', `${bytes} bytes, sha256 ${receipt.sha256}`],
    ['', `${bytesBeforeKill} were shown before the kill; the agent went on without a gateway`],
    ['events', `1 to ${receipt.events}, read by two: one through the kill, one afterwards`],
    ['gateway', gatewayPids.map((pid, at) => `${pid} (generation ${generations[at]})`).join(', ')],
    ['', `${formatDuration(receipt.withoutGatewayMs)} without one`],
    ['agent', `${receipt.agentPid}, the same process before and after`],
  ];
  const lines = rows.map(([name = '', text = '']) => `${paint.strong(name.padEnd(8))}  ${text}\n`);
  if (receipt.isProven) return `${lines.join('')}Nothing was lost, and nothing came twice.\n`;
  const failures = receipt.problems.map((problem) => `${paint.bad('FAILED')}    ${problem}\n`);
  return `${lines.slice(0, -1).join('')}${failures.join('')}`;
}
