/*
 * Whether commands can be confined and shielded here: the shim tries it on itself, so that all that may stand in the way has
 * been asked, not the kernel's version alone (a kernel without Landlock, one that has it switched off, a container's seccomp
 * filter, user namespaces that are forbidden).
 */
import { execFile } from 'node:child_process';
import { errnoOf } from '@clawdfather/kit';
import { booleanField, numberField, optionalString, parseJsonFields } from '../json-fields.ts';

export interface ConfinementSupport {
  /* The version of Landlock's interface; 0: commands cannot be confined. */
  readonly landlock: number;
  /* Why not. */
  readonly why: string | undefined;
  /* Whether a command can have a mount namespace of its own, and why not. */
  readonly hasNamespaces: boolean;
  readonly whyNoNamespaces: string | undefined;
}

/* It prints one line and is done. */
const limitMs = 10_000;

/* Never rejects: a shim that cannot say so cannot do it. */
export function readConfinementSupport(binaryPath: string): Promise<ConfinementSupport> {
  const { promise, resolve } = Promise.withResolvers<ConfinementSupport>();
  execFile(binaryPath, ['confinement'], { timeout: limitMs, env: {} }, (error, stdout) => {
    resolve(error === null ? supportFrom(stdout) : none(errnoOf(error) ?? 'the shim failed'));
  });
  return promise;
}

function supportFrom(text: string): ConfinementSupport {
  try {
    const fields = parseJsonFields(Buffer.from(text));
    const silent = 'the shim does not say why';
    const landlock = numberField(fields, 'landlock');
    const hasNamespaces = booleanField(fields, 'namespace');
    return {
      landlock,
      why: landlock > 0 ? undefined : (optionalString(fields, 'message') ?? silent),
      hasNamespaces,
      whyNoNamespaces: hasNamespaces
        ? undefined
        : (optionalString(fields, 'namespaceMessage') ?? silent),
    };
  } catch {
    /* Another program than ours, or an older one that does not know the word. */
    return none('the shim does not say whether it can');
  }
}

function none(why: string): ConfinementSupport {
  return { landlock: 0, why, hasNamespaces: false, whyNoNamespaces: why };
}
