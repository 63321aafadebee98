/*
 * Approvals over HTTP. The scope `read` is enough to look at them; decide-approval.ts says who may decide.
 */
import { makeVisible } from '@clawdfather/kit';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { canRunAnything, type RulesForEver } from '@clawdfather/tools';
import type { Caller } from '../http/caller.ts';
import type { Handlers } from '../http/handlers.ts';
import { approvalJson, type Hashes } from '../runs/approval-json.ts';
import {
  decideAsCaller,
  type DecideParts,
  findApproval,
  rulesAsCaller,
} from '../runs/decide-approval.ts';
import { accountsOf } from '../runs/whose-runs.ts';

export function createApprovalsHandlers(parts: DecideParts): Handlers<Api['approvals']> {
  const { runs, clock } = parts;
  return {
    list: async ({ caller, query: { state, limit, offset } }) => {
      const { gatekeeper } = runs;
      const filter = {
        accounts: accountsOf(caller),
        ...(state === undefined ? {} : { states: [state] }),
      };
      const nowMs = clock.wallMs();
      // Each is read whole, because a person decides about what the list shows; what is over has little left to read.
      const items = gatekeeper.list({ ...filter, limit, offset }).flatMap(({ approvalId }) => {
        const record = gatekeeper.wholeApproval(approvalId);
        return record === undefined ? [] : [approvalJson(record, nowMs, hashesFor(caller))];
      });
      return { items, total: gatekeeper.count(filter), limit, offset };
    },
    get: async ({ caller, params }) =>
      approvalJson(findApproval(runs, caller, params.id), clock.wallMs(), hashesFor(caller)),
    rules: async ({ caller, params }) => {
      const { approvalId } = findApproval(runs, caller, params.id);
      return rulesJson(await rulesAsCaller(parts, approvalId));
    },
    decide: async ({ params, body, caller, ip, traceId }) => {
      const { decision, reason, digest } = body;
      const asked = { approvalId: params.id, decision, reason, digest, caller, ip, traceId };
      const { record, rules, problem } = await decideAsCaller(parts, asked);
      const approval = approvalJson(record, clock.wallMs(), hashesFor(caller));
      return { approval, rules: [...rules], problem };
    },
  };
}

function rulesJson(rules: RulesForEver): AnswerOf<Api['approvals']['rules']> {
  if (rules.kind === 'not-for-ever') return { items: [], whyNot: makeVisible(rules.why) };
  const items = rules.programs.map((program) => ({
    program: makeVisible(program.namedPath),
    file: makeVisible(program.realPath),
    runsAnything: canRunAnything(program),
  }));
  return { items, whyNot: null };
}

function hashesFor({ kind }: Caller): Hashes {
  return kind === 'device' ? 'shown' : 'withheld';
}
