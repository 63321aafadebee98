/*
 * The files that a turn has changed, kept on the device: the card in the conversation and the screen that it leads to show the same.
 */
import { useApp } from '../../app-context.ts';
import { useResource } from '../../data/use-resource.ts';

export function useChanges(turnId: string) {
  const { client } = useApp();
  return useResource(`changes-1-${turnId}`, () =>
    client.history.changes({ params: { id: turnId } }),
  );
}
