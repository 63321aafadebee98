/*
 * Asks before signing out loses what was written here and is nowhere else.
 */
import { useApp } from '../app-context.ts';
import { Confirm } from './confirm.tsx';

export interface ConfirmSignOutProps {
  /* What would be lost, in words. */
  readonly loss: string;
  readonly onClose: () => void;
}

export function ConfirmSignOut({ loss, onClose }: ConfirmSignOutProps) {
  const { membership } = useApp();
  return (
    <Confirm
      title="Sign out here?"
      does="Sign out"
      keeps="Stay signed in"
      onDo={() => membership.signOut()}
      onClose={onClose}
    >
      <p>{loss}</p>
    </Confirm>
  );
}
