/*
 * `clf rules ls | rm`: what was allowed with `clf allow --always`, and taking it back.
 */
import { makeVisible } from '@clawdfather/tools/text';
import { findRule, formatRules } from '../approvals/rule.ts';
import { withRules } from '../approvals/rule-place.ts';
import type { Execute } from '../command.ts';
import { codeStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import type { rulesListSpec, rulesRemoveSpec } from './approval-specs.ts';

export const list: Execute<typeof rulesListSpec> = (context) =>
  withRules(context, async (place) => {
    const { io, paint, clock } = context;
    const { name, ownAccounts } = place;
    // Oldest first: what was allowed last stands last, where a person looks.
    const rules = (await place.list(context.flags.all)).toReversed();
    if (context.isJson) {
      for (const rule of rules) await io.stdout.write(jsonLine(rule));
    } else if (rules.length === 0) {
      await io.stdout.write(
        `No program was allowed for ever ${name}. clf allow --always ID does it; the settings may name more: clf config show policy.allow\n`,
      );
    } else {
      const options = { paint, nowMs: clock.wallMs(), ownAccounts, columnsMax: io.columns() };
      await io.stdout.write(formatRules(rules, options));
    }
    return codeStatus(exitOk);
  });

export const remove: Execute<typeof rulesRemoveSpec> = (context) =>
  withRules(context, async (place) => {
    const { io } = context;
    const known = await place.list(true);
    // All are found before the first is revoked: a mistyped id changes nothing.
    const meant = new Set(
      context.operands.rules.map((typed) => findRule(known, typed, place.flag)),
    );
    for (const rule of meant) {
      const revoked = await place.revoke(rule);
      const program = makeVisible(revoked.program);
      await io.stdout.write(
        context.isJson
          ? jsonLine(revoked)
          : `${revoked.id} is revoked: ${program} is asked about again from now on\n`,
      );
    }
    return codeStatus(exitOk);
  });
