/*
 * The verdict over a campaign, from its ledger, its registry, its run directories and the process table.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createSupervisor, type RunRecord, type Supervisor } from '@clawdfather/supervisor';
import type { Bystanders } from '../campaign/bystanders.ts';
import { findProcessesOf, isAlive, type ProcessFacts } from '../campaign/process-facts.ts';
import { voidExitOf } from '../gateway/finish-run.ts';
import { type Ledger, openLedger, readerNames } from '../gateway/ledger.ts';
import { chaosSession } from '../plan/run-plan.ts';
import { checkExit } from './check-exits.ts';
import { checkReaders, checkReplays } from './check-output.ts';
import { checkRegistry } from './check-registry.ts';
import type { Verdict, Violation } from './violation.ts';

export interface Evidence {
  readonly stateDir: string;
  readonly ledgerFile: string;
  readonly spawnds: readonly ProcessFacts[];
  readonly bystanders: Bystanders;
}

/* A shim tells of the end and then exits; a spawnd ends after its last shim. */
const lingerMsMax = 10_000;
const lookMs = 50;

export async function verifyCampaign(evidence: Evidence): Promise<Verdict> {
  const ledger = openLedger(evidence.ledgerFile);
  const supervisor = await createSupervisor({ stateDir: evidence.stateDir, adoption: 'record' });
  try {
    const left = await checkProcesses(evidence, supervisor.instanceId);
    const all = supervisor.list({
      sessionId: chaosSession,
      includeRemoved: true,
      limit: 1_000_000,
    });
    const records = new Map<string, RunRecord>(all.map((record) => [record.runId, record]));
    const runs = await checkRuns(supervisor, ledger, records);
    const touched = evidence.bystanders
      .check()
      .map((what) => ({ rule: 'no foreign process is touched', what }));
    const index = checkRegistry(evidence.stateDir, records);
    return { ...countsOf(ledger, all), violations: [...runs, ...left, ...touched, ...index] };
  } finally {
    await supervisor.close();
    ledger.shut();
  }
}

async function checkRuns(
  supervisor: Supervisor,
  ledger: Ledger,
  records: ReadonlyMap<string, RunRecord>,
): Promise<readonly Violation[]> {
  const violations: Violation[] = [];
  for (const plan of ledger.plans()) {
    const record = records.get(plan.runId);
    if (record === undefined) {
      violations.push({ rule: 'every plan is a run', runId: plan.runId, what: 'no record' });
    } else if (voidExitOf(record) === undefined) {
      violations.push(...checkExit(plan, record, ledger.exitsOf(plan.runId)));
      violations.push(...checkReaders(ledger, plan));
      violations.push(...(await checkReplays(supervisor, ledger, plan)));
    } else if (ledger.piecesOf({ reader: 'owner', runId: plan.runId }).length > 0) {
      const what = 'the record says that it never started, and yet it spoke';
      violations.push({ rule: 'no ghost', runId: plan.runId, what });
    }
  }
  return violations;
}

async function checkProcesses(
  { stateDir, spawnds }: Evidence,
  instanceId: string,
): Promise<readonly Violation[]> {
  const rule = 'no process is left';
  let left: readonly ProcessFacts[] = [];
  for (let waitedMs = 0; waitedMs <= lingerMsMax; waitedMs += lookMs) {
    left = [...findProcessesOf(instanceId, stateDir), ...spawnds.filter(isAlive)];
    if (left.length === 0) return [];
    await sleep(lookMs);
  }
  return left.map(({ pid, name }) => ({ rule, what: `${name} (${pid})` }));
}

function countsOf(ledger: Ledger, records: readonly RunRecord[]): Omit<Verdict, 'violations'> {
  const exits: Record<string, number> = {};
  for (const { exit } of records) {
    const reason = exit?.reason ?? 'none';
    exits[reason] = (exits[reason] ?? 0) + 1;
  }
  const voids = records.filter((record) => voidExitOf(record) !== undefined).length;
  return { runs: records.length, voids, bytesRead: ledger.bytesRead(readerNames[0]), exits };
}
