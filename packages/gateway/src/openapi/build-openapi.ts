/*
 * The OpenAPI 3.1 document, from the same table that validates requests.
 *
 * Schemas with a name of their own (`meta({ id })`) are shared components; everything else stands where it is used.
 */
import {
  type ApiErrorCode,
  apiErrors,
  apiErrorSchema,
  type Endpoint,
  type EndpointGroup,
} from '@clawdfather/protocol/api';
import { z } from 'zod';

export interface OpenApiInput {
  readonly version: string;
  readonly groups: Readonly<Record<string, EndpointGroup>>;
}

type Json = Record<string, unknown>;

/* Every endpoint can give these; they are not worth repeating in each entry of the table. */
const commonErrors: readonly ApiErrorCode[] = [
  'validation_error',
  'origin_refused',
  'host_refused',
  'internal_error',
  'unavailable',
  'timeout',
];

export function buildOpenApi({ version, groups }: OpenApiInput): Json {
  const components: Json = {};
  const paths: Record<string, Json> = {};
  for (const [groupName, group] of Object.entries(groups)) {
    for (const [name, endpoint] of Object.entries(group)) {
      const path = endpoint.path.replaceAll(/:([a-z_]+)/g, '{$1}');
      paths[path] = {
        ...paths[path],
        [endpoint.method.toLowerCase()]: operation(components, endpoint, { groupName, name }),
      };
    }
  }
  schemaOf(components, apiErrorSchema, 'output');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Clawdfather gateway',
      version,
      description:
        'Runs, sessions and approvals on your machines. Errors are `{"error":{"code","message","detail"}}`; programs rely on the code.',
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { cookie: [] }],
    tags: Object.keys(groups).map((name) => ({ name })),
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A token, `clf_…`' },
        cookie: { type: 'apiKey', in: 'cookie', name: '__Host-clf', description: 'The web app' },
      },
    },
  };
}

function operation(
  components: Json,
  endpoint: Endpoint,
  { groupName, name }: { readonly groupName: string; readonly name: string },
): Json {
  const { summary, access, body, limit, answer, isIdempotent } = endpoint;
  const parameters = [
    ...parametersOf(components, endpoint.params, 'path'),
    ...parametersOf(components, endpoint.query, 'query'),
    ...(isIdempotent
      ? [{ name: 'Idempotency-Key', in: 'header', required: false, schema: { type: 'string' } }]
      : []),
  ];
  return {
    operationId: `${groupName}.${name}`,
    tags: [groupName],
    summary,
    ...(access === 'open' ? { security: [] } : { 'x-access': access }),
    ...(limit === undefined ? {} : { 'x-rate-limit': limit }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: bodyContent(components, endpoint, body) } }),
    responses: {
      [endpoint.status ?? (answer === undefined ? 204 : 200)]: {
        description: 'Done',
        ...(answer === undefined ? {} : { content: jsonContent(components, answer, 'output') }),
      },
      ...refusals(endpoint),
    },
  };
}

function bodyContent(components: Json, { bytesMax }: Endpoint, body: z.ZodType): Json {
  if (bytesMax === undefined) return jsonContent(components, body, 'input');
  return { 'application/octet-stream': { schema: {} } };
}

/* One response per status; codes that share one are listed in it. */
function refusals({ access, limit, params, errors = [] }: Endpoint): Json {
  const codes: readonly ApiErrorCode[] = [
    ...commonErrors,
    ...(access === 'open' ? [] : (['unauthorized', 'forbidden'] as const)),
    ...(limit === undefined ? [] : (['rate_limited'] as const)),
    ...(params === undefined ? [] : (['not_found'] as const)),
    ...errors,
  ];
  const byStatus = Map.groupBy(new Set(codes), (code) => apiErrors[code].status);
  const responses = [...byStatus].map(([status, list]) => [
    status,
    {
      description: list.map((code) => `\`${code}\`: ${apiErrors[code].meaning}`).join('; '),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  ]);
  return Object.fromEntries(responses);
}

function parametersOf(
  components: Json,
  schema: z.ZodObject | undefined,
  where: 'path' | 'query',
): readonly Json[] {
  if (schema === undefined) return [];
  return Object.entries(schema.shape).map(([name, field]) => ({
    name,
    in: where,
    required: where === 'path' || !z.safeParse(field as z.ZodType, undefined).success,
    schema: schemaOf(components, field as z.ZodType, 'input'),
  }));
}

function jsonContent(components: Json, schema: z.ZodType, io: 'input' | 'output'): Json {
  return { 'application/json': { schema: schemaOf(components, schema, io) } };
}

function schemaOf(components: Json, schema: z.ZodType, io: 'input' | 'output'): unknown {
  const made = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  const text = JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $schema: _dialect, $defs, id, ...rest } = JSON.parse(text) as Json;
  for (const [name, component] of Object.entries(($defs as Json | undefined) ?? {})) {
    components[name] = withoutId(component as Json);
  }
  if (typeof id !== 'string') return rest;
  components[id] = rest;
  return { $ref: `#/components/schemas/${id}` };
}

function withoutId({ id: _id, ...rest }: Json): Json {
  return rest;
}
