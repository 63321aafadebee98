/*
 * The API as a page that a person reads, on a phone too: no script, one style sheet of its own, made from the OpenAPI document so
 * that it cannot say anything else. Shapes that are used in several places stand once, at the end, and are linked to.
 */
import { escapeHtml } from '../http/escape-html.ts';

type Json = Readonly<Record<string, unknown>>;

interface Answer {
  readonly description: string;
  readonly content?: Json;
}

interface Operation {
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Answer>>;
  readonly 'x-access'?: string;
  readonly 'x-rate-limit'?: {
    readonly hitsMax: number;
    readonly windowMs: number;
    readonly per: string;
  };
}

export function renderPage(document: Json): string {
  const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = Map.groupBy(rows, ({ operation }) => operation.tags[0] ?? '');
  const { title, version, description } = document['info'] as Readonly<Record<string, string>>;
  const { schemas } = document['components'] as Readonly<Record<string, Json>>;
  const toc = [...groups.keys(), 'shapes'].map(
    (name) => `<a href="#${escapeHtml(name)}">${escapeHtml(name)}</a>`,
  );
  const body = [...groups].map(
    ([name, list]) =>
      `<h2 id="${escapeHtml(name)}">${escapeHtml(name)}</h2>${list.map(renderOperation).join('')}`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title ?? '')}</title>
<link rel="stylesheet" href="/api/docs.css"></head><body>
<h1>${escapeHtml(title ?? '')} <small>${escapeHtml(version ?? '')}</small></h1>
<p>${renderText(description ?? '')}</p>
<p>For programs: <a href="/api/openapi.json">openapi.json</a></p>
<nav>${toc.join(' · ')}</nav>${body.join('')}
<h2 id="shapes">shapes</h2>${Object.entries(schemas ?? {})
    .map(renderShape)
    .join('')}</body></html>`;
}

function renderOperation(entry: {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}): string {
  const { path, method, operation } = entry;
  const limit = operation['x-rate-limit'];
  const facts = [
    operation['x-access'] === undefined ? 'open to everybody' : `needs ${operation['x-access']}`,
    ...(limit === undefined
      ? []
      : [`at most ${limit.hitsMax} in ${limit.windowMs / 60_000} min per ${limit.per}`]),
  ];
  return `<details><summary><code class="${method}">${method.toUpperCase()}</code>
<code>${escapeHtml(path)}</code> ${escapeHtml(operation.summary)}</summary>
<p>${escapeHtml(facts.join('; '))}</p>${renderParameters(operation)}${renderContent('Body', operation.requestBody)}
${renderContent('Answer', successOf(operation))}
<table class="statuses"><tr><th>status</th><th>meaning</th></tr>${Object.entries(
    operation.responses,
  )
    .map(
      ([status, { description }]) =>
        `<tr><td>${status}</td><td>${renderText(description)}</td></tr>`,
    )
    .join('')}</table></details>`;
}

function successOf({ responses }: Operation): Answer | undefined {
  return Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
}

function renderShape([name, schema]: readonly [string, unknown]): string {
  const summary = `<summary id="shape-${escapeHtml(name)}"><b>${escapeHtml(name)}</b></summary>`;
  return `<details>${summary}${renderSchema(schema)}</details>`;
}

function renderParameters({ parameters = [] }: Operation): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(
    ({ name, in: where, required, schema }) =>
      `<tr><td><code>${escapeHtml(String(name))}</code></td><td>${escapeHtml(String(where))}${
        required === true ? ', required' : ''
      }</td><td><code>${escapeHtml(JSON.stringify(schema))}</code></td></tr>`,
  );
  return `<table><tr><th>parameter</th><th>in</th><th>schema</th></tr>${rows.join('')}</table>`;
}

function renderContent(title: string, holder: { readonly content?: unknown } | undefined): string {
  if (holder?.content === undefined) return '';
  const content = holder.content as Readonly<Record<string, Json>>;
  if (content['application/json'] === undefined) return `<p>${title}: bytes</p>`;
  const schema = content['application/json']['schema'];
  return `<p>${title}:</p>${renderSchema(schema)}`;
}

const reference = /#\/components\/schemas\/(\w+)/g;

function renderSchema(schema: unknown): string {
  const text = escapeHtml(JSON.stringify(schema, withoutPattern, 2));
  return `<pre>${text.replaceAll(reference, '<a href="#shape-$1">$1</a>')}</pre>`;
}

/* What has a format needs no pattern to be understood, and that of a time is longer than the rest of its shape. */
function withoutPattern(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { pattern: _pattern, ...rest } = value as Json;
  return typeof rest['format'] === 'string' ? rest : value;
}

/* Texts of the OpenAPI document are Markdown, of which only code spans are used. */
function renderText(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

export const pageStyle = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 0 auto; padding: 1rem }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em }
pre { overflow-x: auto; padding: 0.75rem; background: #8882; border-radius: 0.4rem }
details { border-bottom: 1px solid #8884 }
summary { padding: 0.7rem 0; cursor: pointer }
summary code:first-child { display: inline-block; min-width: 4.5rem; font-weight: 700 }
.get { color: #2a7 } .post { color: #27c } .patch { color: #b70 } .delete { color: #c33 }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0 }
td, th { text-align: left; padding: 0.25rem 0.5rem; vertical-align: top; border-top: 1px solid #8883; overflow-wrap: anywhere }
.statuses td:first-child, .statuses th:first-child { white-space: nowrap; width: 1% }
`;
