/*
 * `clf allow`: the decision, then the start. If we are killed in between, the server that asked starts it, or the next process
 * that looks; if several try, one does.
 */
import { silentLog } from '@clawdfather/kit';
import type { ApprovalRecord } from '@clawdfather/tools';
import { machineAccounts } from '@clawdfather/supervisor/origins';
import { approvalJson } from '../approvals/approval-json.ts';
import { decide } from '../approvals/decide.ts';
import { formatAllowed, formatMadeRules, type Start } from '../approvals/decision-text.ts';
import { eachApproval } from '../approvals/each-approval.ts';
import { findApproval } from '../approvals/find-approval.ts';
import { reachBoundsOf } from '../approvals/reach-bounds.ts';
import { type Approvals, withApprovals } from '../approvals/with-approvals.ts';
import type { Supervisor } from '@clawdfather/supervisor';
import type { CallOf, CommandContext } from '../command.ts';
import type { ExitStatus } from '../exit-status.ts';
import { findGateway } from '../gateway/gateway-file.ts';
import { jsonLine } from '../render/run-json.ts';
import { optionElsewhere } from '../approvals/approval-place.ts';
import { decideAsked } from '../threads/decide-asked.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';
import type { allowSpec } from './approval-specs.ts';

export async function execute(context: CallOf<typeof allowSpec>): Promise<ExitStatus> {
  const { approvals: typed } = context.operands;
  const { option } = context.flags;
  const decision = context.flags.always ? 'allow-always' : 'allow-once';
  const asked = await decideAsked(context, { typed, decision, option });
  if (asked !== undefined) return asked;
  if (option !== undefined) throw optionElsewhere();
  const { config, io, isJson, paint } = context;
  return withApprovals(context, async (approvals) => {
    const { gatekeeper } = approvals;
    const ids = typed.map((one) => findApproval(gatekeeper, one, config.stateDir));
    return eachApproval(context, ids, async (approvalId) => {
      const decided = await decide(context, approvals, { approvalId, decision });
      if (!isJson) {
        await io.stdout.write(await formatMadeRules(decided.record, decided.rules, paint));
      }
      const started = await start(context, approvals, decided.record);
      const record = gatekeeper.wholeApproval(approvalId) ?? decided.record;
      const rules = decided.rules.map(({ namedPath }) => namedPath);
      await io.stdout.write(
        isJson
          ? jsonLine({ ...approvalJson(record, config.stateDir), rules })
          : formatAllowed(decided.record, started),
      );
    });
  });
}

/*
 * What starts is in the record, environment included; ours is not used. What was asked for at a gateway that gateway starts, which alone
 * knows as whom its accounts run: at once, or when it runs again.
 */
async function start(
  context: CommandContext,
  { store: approvals }: Approvals,
  record: ApprovalRecord,
): Promise<Start> {
  const { openTools, ownUserOnly, personPolicy } = await import('@clawdfather/tools');
  const { createShieldHere } = await import('../approvals/create-shield-here.ts');
  const { clock, random, config } = context;
  if (!machineAccounts.includes(record.account)) {
    const { kind } = findGateway(config.stateDir);
    return kind === 'running' || kind === 'elsewhere' ? 'gateway' : 'gateway-later';
  }
  const startHeld = async (supervisor: Supervisor): Promise<void> => {
    await using opened = await openTools({
      supervisor,
      stateDir: config.stateDir,
      approvals,
      clock,
      random,
      log: silentLog,
      allow: config.values['policy.allow'],
      reach: reachBoundsOf(config),
      policy: personPolicy,
      users: ownUserOnly,
      baseEnvironment: config.commandEnv,
      openFiles: config.openFiles,
      shield: createShieldHere(config, clock),
      takesUp: false,
    });
    await opened.tools.startHeld(record);
  };
  await withSupervisor(context, startHeld, { whenUnwritable: 'refuse' });
  return 'started';
}
