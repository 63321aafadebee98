/*
 * Results as JSON for programs, with every round, so that others can compute what we did not.
 */
import type { Machine } from './machine.ts';
import type { ScenarioResult } from './result.ts';

export interface Report {
  readonly machine: Machine;
  readonly isQuick: boolean;
  readonly results: readonly ScenarioResult[];
}

export function formatJson(report: Report): string {
  const asPlain = (_key: string, value: unknown): unknown =>
    value instanceof Map ? Object.fromEntries(value) : value;
  return `${JSON.stringify({ version: 1, ...report }, asPlain, 2)}\n`;
}
