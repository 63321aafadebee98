/*
 * How far the values are that people have chosen for an agent: which one the agent is being told, what came of those before, and which calls
 * were given up and may still be answered. Kept with the agent's run, so whichever gateway gets the answer knows what it is about (W8).
 *
 * One value is told at a time. What was tried is remembered for the turn whose prompt waits, with what came of it: the same value is tried
 * again only when a person has chosen anew, or for the next turn.
 */
import { assertNever } from '@clawdfather/kit';

/* They are types and no interfaces, because they are stored as JSON. */
export type Setting = {
  /* The turn that it was tried for. */
  readonly turnId: string;
  readonly tried: readonly TriedValue[];
  /* The agent was told, and its answer is waited for. */
  readonly call?: SettingCall | undefined;
  /* Nobody waits for these any more, but their values may be set at any time until they are answered. */
  readonly late?: readonly LateCall[] | undefined;
};

export type ToldValue = { readonly choiceId: string; readonly value: string };

export type SettingCall = ToldValue & {
  readonly callId: number;
  readonly atMs: number;
  /* What people were shown when they chose something else while it was set. */
  readonly shown?: string | undefined;
};

export type TriedValue = ToldValue &
  Pick<SettingCall, 'shown'> & {
    /* Why it is not set, for people; absent: the agent has taken it. */
    readonly why?: string | undefined;
  };

export type LateCall = ToldValue & {
  readonly callId: number;
  /* A later call about the same choice was answered, and agents answer in order: how it stands is known again. */
  readonly isPassed?: boolean | undefined;
};

export type SettingEvent =
  | { readonly type: 'told'; readonly turnId: string; readonly call: SettingCall }
  /* `why`: it is not set. The turn is the one that waits now; absent: none does. */
  | { readonly type: 'answered'; readonly turnId: string | undefined; readonly why?: string }
  | { readonly type: 'given-up'; readonly turnId: string | undefined; readonly why: string }
  | { readonly type: 'late-answered'; readonly callId: number }
  /* A person has chosen another value of this choice, or none, and was shown this one. */
  | { readonly type: 'chosen'; readonly choiceId: string; readonly shown?: string | undefined }
  /* Everything is set, or not wanted any more. */
  | { readonly type: 'prompted' };

/* More than an agent that answers at all ever leaves: the oldest are forgotten. */
export const lateMax = 16;

/* No turn waited when the answer came. */
const noTurn = '';
const nothing: Setting = { turnId: noTurn, tried: [] };

/* Undefined: nothing is set, and no answer is to come. */
export function nextSetting(
  setting: Setting | undefined,
  event: SettingEvent,
): Setting | undefined {
  const before = setting ?? nothing;
  const { call, late = [] } = before;
  switch (event.type) {
    case 'told': {
      const { turnId, call: told } = event;
      return { turnId, tried: triedBefore(before, turnId), call: told, late };
    }
    case 'answered': {
      if (call === undefined) return setting;
      const passed = late.map((one) =>
        one.choiceId === call.choiceId ? { ...one, isPassed: true } : one,
      );
      return { ...withTried(before, call, event), late: passed };
    }
    case 'given-up':
      if (call === undefined) return setting;
      return { ...withTried(before, call, event), late: [...late, lateOf(call)].slice(-lateMax) };
    case 'late-answered':
      return kept({ ...before, late: late.filter(({ callId }) => callId !== event.callId) });
    case 'chosen': {
      const { choiceId, shown } = event;
      const tried = before.tried.filter((one) => one.choiceId !== choiceId);
      return kept({
        ...before,
        tried,
        call: call?.choiceId === choiceId ? { ...call, shown } : call,
      });
    }
    case 'prompted':
      return kept({ ...before, tried: [] });
    default:
      return assertNever(event);
  }
}

/* What was tried for an earlier turn says nothing about this one. */
export function triedFor(setting: Setting | undefined, turnId: string): readonly TriedValue[] {
  return setting?.turnId === turnId ? setting.tried : [];
}

/* And what was answered while no turn waited, and is to be put back: no prompt has gone out since. */
export function triedBefore(setting: Setting | undefined, turnId: string): readonly TriedValue[] {
  if (setting?.turnId !== noTurn) return triedFor(setting, turnId);
  return setting.tried.filter(({ shown }) => shown !== undefined);
}

/* The call of a turn that has ended meanwhile counts for the one that waits for its answer now. */
function withTried(
  setting: Setting,
  { choiceId, value, shown }: SettingCall,
  { turnId = noTurn, why }: { readonly turnId: string | undefined; readonly why?: string },
): Pick<Setting, 'turnId' | 'tried'> {
  return { turnId, tried: [...triedFor(setting, turnId), { choiceId, value, shown, why }] };
}

function lateOf({ choiceId, value, callId }: SettingCall): LateCall {
  return { choiceId, value, callId };
}

function kept(setting: Setting): Setting | undefined {
  const { tried, call, late = [] } = setting;
  const isOver = tried.length === 0 && call === undefined && late.length === 0;
  return isOver ? undefined : setting;
}
