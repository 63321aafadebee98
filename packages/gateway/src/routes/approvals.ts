/*
 * Approvals over HTTP: looked at by whoever may read, decided as decide-approval.ts tells.
 */
import type { Api } from '@clawdfather/protocol/api';
import type { Handlers } from '../http/handlers.ts';
import { approvalJson } from '../runs/approval-json.ts';
import { decideAsCaller, type DecideParts, findApproval } from '../runs/decide-approval.ts';
import { seesAccount } from '../runs/whose-runs.ts';
import { pageOfAll } from './page-of-all.ts';

export function createApprovalsHandlers(parts: DecideParts): Handlers<Api['approvals']> {
  const { runs, clock } = parts;
  return {
    list: async ({ caller, query: { state, ...page } }) => {
      const found = runs.gatekeeper
        .list(state === undefined ? {} : { states: [state] })
        .filter(({ action }) => seesAccount(caller, action.account));
      const nowMs = clock.wallMs();
      const { items, ...rest } = pageOfAll(found, page);
      return { items: items.map((record) => approvalJson(record, nowMs)), ...rest };
    },
    get: async ({ caller, params }) =>
      approvalJson(findApproval(runs, caller, params.id), clock.wallMs()),
    decide: async ({ params, body, caller, ip, traceId }) => {
      const { decision, reason } = body;
      const asked = { approvalId: params.id, decision, reason, caller, ip, traceId };
      const { record, rules, problem } = await decideAsCaller(parts, asked);
      return { approval: approvalJson(record, clock.wallMs()), rules: [...rules], problem };
    },
  };
}
