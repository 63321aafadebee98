/*
 * What is said beside the buttons of something that a person does: why they are off now, or why it failed.
 */
import type { Act } from '../data/use-act.ts';
import { ProblemView } from './problem-view.tsx';

export function ActNote({
  act: { problem, whyOff },
  onRetry,
}: {
  readonly act: Pick<Act, 'problem' | 'whyOff'>;
  readonly onRetry?: () => void;
}) {
  if (whyOff !== undefined) {
    return (
      <p class="quiet act-note" role="status">
        {whyOff}
      </p>
    );
  }
  if (problem === undefined) return null;
  return <ProblemView problem={problem} {...(onRetry && { onRetry })} />;
}
