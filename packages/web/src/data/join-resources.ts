/*
 * Two resources that are shown as one: known when both are, and as old as the older one, so that a screen says that once.
 */
import { computed } from '@preact/signals';
import type { Resource } from './resource.ts';

export function joinResources<One, Other>(
  one: Resource<One>,
  other: Resource<Other>,
): Resource<readonly [One, Other]> {
  return {
    value: computed(() => {
      const [first, second] = [one.value.value, other.value.value];
      return first === undefined || second === undefined ? undefined : [first, second];
    }),
    asOfMs: computed(() => {
      const [first, second] = [one.asOfMs.value, other.asOfMs.value];
      return first === undefined || second === undefined ? undefined : Math.min(first, second);
    }),
    problem: computed(() => one.problem.value ?? other.problem.value),
    isKept: computed(() => one.isKept.value || other.isKept.value),
    refresh: async () => {
      await Promise.all([one.refresh(), other.refresh()]);
    },
  };
}
