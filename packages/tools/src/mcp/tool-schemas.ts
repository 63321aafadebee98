/*
 * The two tools as a client is shown them, and as their arguments are checked.
 *
 * Shown: one flat object each. Checked: the schemas of packages/protocol, with errors in words. A result is built by typed code
 * from the same schemas, so it is not checked again here; the tests' client does.
 */
import {
  execFields,
  type ExecParams,
  execParamsSchema,
  execResultSchema,
  processActions,
  type ProcessParams,
  processParamsSchema,
  processResultSchema,
} from '@clawdfather/protocol';
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { execFieldTexts, processFieldTexts } from './descriptions.ts';
import { explainIssues } from './explain-issues.ts';
import { flatSchema, type ObjectSchema } from './flat-schema.ts';

type Validate<Value> = (
  value: unknown,
) => { readonly value: Value } | { readonly issues: readonly { readonly message: string }[] };

const reportInput = { reportInput: true };
const processMembers = processParamsSchema.options;

export const execInput = shownAs<ExecParams>(
  flatSchema([z.strictObject(execFields)], 'input', execFieldTexts),
  (value) => {
    const parsed = execParamsSchema.safeParse(value, reportInput);
    return parsed.success
      ? { value: parsed.data }
      : refusal(explainIssues(parsed.error.issues, Object.keys(execFields)));
  },
);

export const processInput = shownAs<ProcessParams>(
  flatSchema(processMembers, 'input', processFieldTexts),
  (value) => {
    const parsed = processParamsSchema.safeParse(value, reportInput);
    return parsed.success ? { value: parsed.data } : refusal(explainProcess(value, parsed.error));
  },
);

/* Beside every result: other runs that ended meanwhile (exit-notices.ts). */
const endedSchema = z
  .array(
    z.object({
      event: z.enum(['exit', 'denied']),
      runId: z.string(),
      reason: z.string(),
      code: z.int().optional(),
      signal: z.string().optional(),
      cursor: z.string().optional(),
      durationMs: z.number().optional(),
      command: z.string().optional(),
    }),
  )
  .describe('Background runs that ended since the last result; each is named once.');

export const execOutput = shownAs(withEnded(flatSchema(execResultSchema.options, 'output')), as);

export const processOutput = shownAs(
  withEnded(flatSchema(processResultSchema.options, 'output')),
  as,
);

function as<Value>(value: Value): { readonly value: Value } {
  return { value };
}

function withEnded(schema: ObjectSchema): ObjectSchema {
  const { ended } = flatSchema([z.object({ ended: endedSchema })], 'output').properties;
  return { ...schema, properties: { ...schema.properties, ...(ended && { ended }) } };
}

function shownAs<Value>(
  schema: ObjectSchema,
  validate: Validate<Value>,
): StandardSchemaWithJSON<unknown, Value> {
  const shown = () => ({ ...schema });
  return {
    '~standard': {
      version: 1,
      vendor: 'clawdfather',
      validate,
      jsonSchema: { input: shown, output: shown },
    },
  };
}

function refusal(message: string): { readonly issues: readonly { readonly message: string }[] } {
  return { issues: [{ message }] };
}

function explainProcess(value: unknown, error: z.ZodError): string {
  const action = typeof value === 'object' && value !== null && 'action' in value && value.action;
  const member = processMembers.find(({ shape }) => shape.action.value === action);
  if (member === undefined) {
    const said = action === false ? 'is missing' : `cannot be ${JSON.stringify(action)}`;
    return `"action" ${said}; it is one of: ${processActions.join(', ')}.`;
  }
  const names = Object.keys(member.shape);
  return explainIssues(error.issues, names, (name) => {
    if (!(name in processFieldTexts)) return undefined;
    return `"${name}" does not belong to ${String(action)} (${processFieldTexts[name]}) It takes: ${names.join(', ')}.`;
  });
}
