/*
 * What an approval is bound to: SHA-256 over everything that will be started, and over what it was found to be made of (binding.ts), in
 * one fixed encoding.
 *
 * The encoding is JSON of a list, so that no two actions share one: keys have no order to vary, and names of variables are
 * sorted. The run's id and the opaque request are in it too, since the request is what is carried out. A plain hash
 * and not a keyed one: a process that can rewrite the row can also read every key of this user (docs/approvals.md). The hash
 * catches an action that was changed by mistake, or by a process that did not change the hash with it.
 */
import { createHash } from 'node:crypto';
import type { ProposedAction } from './gatekeeper.ts';

export interface BoundAction {
  readonly action: ProposedAction;
  readonly runId: string;
  readonly request: string;
  readonly searchPath: string;
  /* As it is stored; absent where nothing could be bound. */
  readonly binding?: string | undefined;
}

export function hashAction({ action, runId, request, searchPath, binding }: BoundAction): string {
  const { command } = action;
  const what =
    command.kind === 'argv' ? ['argv', ...command.argv] : ['line', command.shell, command.line];
  const additions = Object.entries(action.envAdditions).toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const user = action.runAs === undefined ? [] : [action.runAs];
  // A list among texts: no user can be taken for it.
  const name = action.hostName === undefined ? [] : [[action.hostName]];
  const where = [action.cwd, additions, action.host, action.account, ...user, ...name];
  const input = action.stdin === undefined ? [] : [action.stdin];
  const asked = [what, where, runId, request, searchPath, ...input];
  const encoded = binding === undefined ? ['v1', ...asked] : ['v2', binding, ...asked];
  return createHash('sha256').update(JSON.stringify(encoded)).digest('hex');
}
