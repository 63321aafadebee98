/*
 * Who may run what: the words of policy and approvals.
 *
 * `security` says what runs without being asked about; `ask` says when a person is asked. A caller can make either
 * stricter for one call and never laxer: the lists below go from lax to strict.
 */
import { z } from 'zod';

export const securityLevels = ['full', 'allowlist', 'deny'] as const;
export const askLevels = ['off', 'on-miss', 'always'] as const;

export const securitySchema = z.enum(securityLevels);
export const askSchema = z.enum(askLevels);
export type Security = z.infer<typeof securitySchema>;
export type Ask = z.infer<typeof askSchema>;

export const approvalDecisions = ['allow-once', 'allow-always', 'deny'] as const;
export const approvalDecisionSchema = z.enum(approvalDecisions);
export type ApprovalDecision = z.infer<typeof approvalDecisionSchema>;

/* `changed`: it was allowed, and what it is bound to was another at the start. Nothing started. */
export const approvalStates = [
  'pending',
  'allowed',
  'started',
  'denied',
  'expired',
  'changed',
] as const;
export const approvalStateSchema = z.enum(approvalStates);
export type ApprovalState = z.infer<typeof approvalStateSchema>;

/* What an approval is bound to beside the command: compared again at the start. */
export const boundSchema = z.object({
  directory: z
    .object({ device: z.string(), inode: z.string() })
    .describe('which directory `cwd` was, as the kernel counts them'),
  files: z
    .array(
      z.object({
        path: z.string(),
        at: z
          .string()
          .exactOptional()
          .describe('where it is outside of the shield, if that is another place'),
        bytes: z.int(),
        sha256: z.string().nullable().describe('of its content; null for a token'),
      }),
    )
    .describe('what the command names, up to 1 MiB each'),
  unbound: z
    .array(z.object({ path: z.string(), why: z.string() }))
    .describe('named as well, and not compared'),
  more: z.int().describe('beyond the limits: neither compared nor listed'),
});
export type Bound = z.infer<typeof boundSchema>;
