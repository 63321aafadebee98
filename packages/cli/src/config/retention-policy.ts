/*
 * From settings to what is kept of finished runs. The one place: what `clf gc` shows is what the gateway does by itself.
 */
import type { RetentionPolicy } from '@clawdfather/supervisor';
import type { Config } from '../config.ts';

export function retentionPolicyFrom({ values }: Pick<Config, 'values'>): RetentionPolicy {
  return {
    ageMs: values['gc.olderThan'],
    runsMax: values['gc.keep'],
    bytesMax: values['gc.maxSize'],
  };
}
