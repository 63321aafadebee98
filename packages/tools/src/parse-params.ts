/*
 * Parameters from a program that calls the tools, which nothing has parsed yet. Callers on a wire have parsed theirs, and use the
 * actions directly.
 */
import {
  type ExecParams,
  execParamsSchema,
  type ProcessParams,
  processParamsSchema,
} from '@clawdfather/protocol';
import type { z } from 'zod';
import { ToolsError } from './errors.ts';

/* Throws `params-invalid`. */
export function parseExecParams(params: unknown): ExecParams {
  return parsed(execParamsSchema, params);
}

/* Throws `params-invalid`. */
export function parseProcessParams(params: unknown): ProcessParams {
  return parsed(processParamsSchema, params);
}

function parsed<Value>(schema: z.ZodType<Value>, params: unknown): Value {
  const result = schema.safeParse(params);
  if (result.success) return result.data;
  const [first] = result.error.issues;
  const field = first?.path.join('.') ?? '';
  const what = first?.message ?? 'they cannot be read';
  throw new ToolsError('params-invalid', field === '' ? what : `${field}: ${what}`, {
    detail: { field },
  });
}
