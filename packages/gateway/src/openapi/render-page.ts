/*
 * The API as a page that a person reads: no script, one style sheet inline under its own hash-free policy, made from the OpenAPI
 * document so that it cannot say anything else.
 */
type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
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
  const toc = [...groups.keys()].map((name) => `<a href="#${escape(name)}">${escape(name)}</a>`);
  const body = [...groups].map(
    ([name, list]) =>
      `<h2 id="${escape(name)}">${escape(name)}</h2>${list.map(renderOperation).join('')}`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${escape(title ?? '')}</title>
<link rel="stylesheet" href="/api/docs.css"></head><body>
<h1>${escape(title ?? '')} <small>${escape(version ?? '')}</small></h1>
<p>${escape(description ?? '')}</p>
<p>For programs: <a href="/api/openapi.json">openapi.json</a></p>
<nav>${toc.join(' · ')}</nav>${body.join('')}</body></html>`;
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
<code>${escape(path)}</code> ${escape(operation.summary)}</summary>
<p>${escape(facts.join('; '))}</p>${renderParameters(operation)}${renderBody(operation)}
<table><tr><th>status</th><th>meaning</th></tr>${Object.entries(operation.responses)
    .map(
      ([status, { description }]) => `<tr><td>${status}</td><td>${escape(description)}</td></tr>`,
    )
    .join('')}</table></details>`;
}

function renderParameters({ parameters = [] }: Operation): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(
    ({ name, in: where, required, schema }) =>
      `<tr><td><code>${escape(String(name))}</code></td><td>${escape(String(where))}${
        required === true ? ', required' : ''
      }</td><td><code>${escape(JSON.stringify(schema))}</code></td></tr>`,
  );
  return `<table><tr><th>parameter</th><th>in</th><th>schema</th></tr>${rows.join('')}</table>`;
}

function renderBody({ requestBody }: Operation): string {
  if (requestBody === undefined) return '';
  const content = requestBody['content'] as Readonly<Record<string, Json>>;
  const schema = content['application/json']?.['schema'];
  return `<p>Body:</p><pre>${escape(JSON.stringify(schema, undefined, 2))}</pre>`;
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
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
`;
