/*
 * The processes that an agent's request comes from. They must not decide about it.
 *
 * The server that asks is one of them, and its parent, which is the agent or a wrapper of it (npx, a shell). Wrappers
 * share their agent's process group, so the walk goes on upwards while the group is the same; a person's shell puts
 * the agent into a group of its own, so it ends below that shell. `upMax` bounds the walk where all share one group (a
 * desktop): further up is the desktop itself, and marking it would keep every person from deciding.
 */
import type { ProcessMark } from '@clawdfather/supervisor';

export interface RequesterMark {
  readonly pid: number;
  readonly startTicks: number;
}

/* What asked over the network: a token, say. */
export interface CredentialMark {
  readonly credential: string;
}

/* Whoever asked at a gateway, for the people who decide on its machine without it. */
export interface Asker {
  /* What its token or device is called. */
  readonly name: string;
  /* Its account is that of whoever runs the machine. */
  readonly isOwner: boolean;
}

type Mark = RequesterMark | CredentialMark | { readonly asker: Asker };

const upMax = 3;

/* `lineage` is the asking process and its ancestors, nearest first. */
export function requesterMarksOf(lineage: readonly ProcessMark[]): readonly RequesterMark[] {
  const [self, ...above] = lineage;
  if (self === undefined) return [];
  const near = above.slice(0, upMax);
  const foreign = near.findIndex(
    (mark, index) => index > 0 && mark.processGroupId !== self.processGroupId,
  );
  const agents = foreign === -1 ? near : near.slice(0, foreign);
  // Process 1 as our parent means that our agent is gone. It is an ancestor of every process, so it is not marked.
  return [self, ...agents]
    .filter(({ pid }) => pid > 1)
    .map(({ pid, startTicks }) => ({ pid, startTicks }));
}

export function formatMarks(
  marks: readonly RequesterMark[],
  {
    credential,
    asker,
  }: { readonly credential?: string | undefined; readonly asker?: Asker | undefined },
): string {
  return JSON.stringify([
    ...marks,
    ...(credential === undefined ? [] : [{ credential }]),
    ...(asker === undefined ? [] : [{ asker }]),
  ]);
}

export function parseMarks(json: string): readonly Mark[] {
  return JSON.parse(json) as readonly Mark[];
}

/* Undefined for what was asked for without a gateway, or at an older one. */
export function askerOf(json: string): Asker | undefined {
  return marksOrNone(json).find((mark) => 'asker' in mark)?.asker;
}

/* Undefined for what was asked for by a process, or by a person. */
export function credentialOf(json: string): string | undefined {
  return marksOrNone(json).find((mark) => 'credential' in mark)?.credential;
}

function marksOrNone(json: string): readonly Mark[] {
  try {
    return parseMarks(json);
  } catch {
    // It was changed by others. A list must be shown all the same.
    return [];
  }
}
