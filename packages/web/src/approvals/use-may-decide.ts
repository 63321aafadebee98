/*
 * Whether something can be decided now, and if not, why. A decision is never kept for later: what is allowed an hour afterwards is not
 * what was looked at.
 */
import { useApp } from '../app-context.ts';

export function useWhyNot(): string | undefined {
  const { connection } = useApp();
  if (connection.canDecide.value) return undefined;
  if (connection.state.value.link.kind === 'offline')
    return 'This device is offline. You can decide when it is back.';
  return 'Not connected. You can decide as soon as the gateway answers.';
}
