/*
 * A resource beside what a screen is about, such as the hosts that a list can be narrowed to. From when it is, and that the gateway does not
 * answer, is said by what the screen is about.
 */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Resource } from '../data/resource.ts';
import { ProblemView } from './problem-view.tsx';

export function AsideView<Value>({
  resource,
  children,
}: {
  readonly resource: Resource<Value>;
  readonly children?: (value: Value) => ComponentChildren;
}) {
  useEffect(() => {
    void resource.refresh();
  }, [resource]);
  const value = resource.value.value;
  const problem = resource.problem.value;
  return (
    <>
      {problem !== undefined && problem.kind !== 'unreachable' && (
        <ProblemView problem={problem} onRetry={() => void resource.refresh()} />
      )}
      {value !== undefined && children?.(value)}
    </>
  );
}
