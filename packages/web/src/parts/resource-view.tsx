/*
 * Shows a resource in whichever state it is: nothing known yet, known, or known and not fresh. What is known is never hidden.
 */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Resource } from '../data/resource.ts';
import { formatClock } from '../text/time-words.ts';
import { ProblemView } from './problem-view.tsx';

export function ResourceView<Value>({
  resource,
  children,
}: {
  readonly resource: Resource<Value>;
  readonly children: (value: Value) => ComponentChildren;
}) {
  useEffect(() => {
    void resource.refresh();
  }, [resource]);
  const value = resource.value.value;
  const problem = resource.problem.value;
  const asOfMs = resource.asOfMs.value;
  // That the gateway does not answer is said by the strip at the top, once for all of them.
  const isOld = problem?.kind === 'unreachable' && asOfMs !== undefined;
  return (
    <div>
      {isOld && <p class="quiet as-of">As of {formatClock(asOfMs)}</p>}
      {problem !== undefined && !isOld && (
        <ProblemView problem={problem} onRetry={() => void resource.refresh()}>
          {asOfMs !== undefined && ` This is as of ${formatClock(asOfMs)}.`}
        </ProblemView>
      )}
      {value === undefined ? problem === undefined && <Skeleton /> : children(value)}
    </div>
  );
}

/* Seen only after a moment (styles), so that a fast answer does not flicker. */
function Skeleton() {
  return (
    <div class="skeleton" role="status">
      <span class="only-read-aloud">Loading</span>
    </div>
  );
}
