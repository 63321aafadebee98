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

export const approvalStates = ['pending', 'allowed', 'started', 'denied', 'expired'] as const;
export const approvalStateSchema = z.enum(approvalStates);
export type ApprovalState = z.infer<typeof approvalStateSchema>;
