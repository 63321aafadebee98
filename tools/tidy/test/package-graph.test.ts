/*
 * The package graph: the repository's, and graphs that must be refused.
 */
import { test } from 'node:test';
import { checkPackageGraph } from '../rules/package-graph.ts';
import { assertAccepted, assertObeyed, assertRefused } from './assertions.ts';

function packageFiles(
  name: string,
  dependencies: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const internal = Object.fromEntries(dependencies.map((key) => [`@clawdfather/${key}`, '0.1.0']));
  const references = dependencies.map((key) => ({ path: `../${key}` }));
  return {
    [`packages/${name}/package.json`]: JSON.stringify({ dependencies: internal }),
    [`packages/${name}/tsconfig.json`]: JSON.stringify({ references }),
    ...Object.fromEntries(
      Object.entries(files).map(([path, text]) => [`packages/${name}/${path}`, text]),
    ),
  };
}

test('the repository obeys the package graph', () => {
  assertObeyed(checkPackageGraph);
});

test('an arrow that the table has is accepted', () => {
  assertAccepted(
    checkPackageGraph,
    packageFiles('supervisor', ['kit', 'shim'], {
      'src/index.ts': `import { a } from '@clawdfather/shim';\nimport type { B } from '@clawdfather/kit';`,
      'test/a.test.ts': `import { c } from '@clawdfather/supervisor';\nimport { d } from '../src/d.ts';`,
    }),
  );
});

test('an arrow that turns back is refused, in imports and in the manifest', () => {
  assertRefused(
    checkPackageGraph,
    packageFiles('kit', ['shim'], { 'src/a.ts': `import { a } from '@clawdfather/shim';` }),
    [/package\.json: may not depend on/, /a\.ts: kit may not import/],
  );
});

test('a lazy import and a re-export count as imports', () => {
  assertRefused(
    checkPackageGraph,
    packageFiles('shim', [], {
      'src/a.ts': `export { a } from '@clawdfather/supervisor';`,
      'src/b.ts': `const b = await import('@clawdfather/supervisor');`,
    }),
    [
      /a\.ts: shim may not import/,
      /a\.ts: .* is not declared/,
      /b\.ts: shim may not import/,
      /b\.ts: .* is not declared/,
    ],
  );
});

test('an import that the manifest does not declare is refused', () => {
  assertRefused(
    checkPackageGraph,
    packageFiles('shim', [], { 'src/a.ts': `import { a } from '@clawdfather/kit';` }),
    [/is not declared in package\.json/],
  );
});

test('references that differ from the dependencies are refused', () => {
  assertRefused(
    checkPackageGraph,
    { ...packageFiles('shim', ['kit']), 'packages/shim/tsconfig.json': '{"references":[]}' },
    [/references \[\] but depends on \[kit\]/],
  );
});

test('a way around the door of a package is refused', () => {
  assertRefused(
    checkPackageGraph,
    packageFiles('shim', ['kit'], {
      'src/a.ts': `import { a } from '@clawdfather/kit/src/clock.ts';`,
      'test/b.ts': `import { b } from '../../kit/src/clock.ts';`,
    }),
    [/goes past the door/, /reaches into another package/],
  );
});

test('a second door that the manifest names may be used', () => {
  assertAccepted(checkPackageGraph, {
    ...packageFiles('shim', ['kit'], { 'src/a.ts': `import { a } from '@clawdfather/kit/text';` }),
    ...packageFiles('kit', []),
    'packages/kit/package.json': '{"exports":{".":"./src/index.ts","./text":"./src/text.ts"}}',
  });
});

test('a package outside the table is refused', () => {
  assertRefused(checkPackageGraph, packageFiles('misc', []), [/not in the table/]);
});

test('a browser-safe package may not import Node', () => {
  assertRefused(
    checkPackageGraph,
    packageFiles('kit', [], { 'src/a.ts': `import { readFileSync } from 'node:fs';` }),
    [/browser-safe but imports node:fs/],
  );
});

test('behind the door for Node it may, and nothing for browsers comes through that door', () => {
  const file = `import { readFileSync } from 'node:fs';`;
  assertAccepted(checkPackageGraph, packageFiles('kit', [], { 'src/files/a.ts': file }));
  assertRefused(
    checkPackageGraph,
    packageFiles('kit', [], {
      'src/files/a.ts': file,
      'src/b.ts': `import { a } from './files/a.ts';`,
      'src/c.ts': `import { a } from './files.ts';`,
    }),
    [/b\.ts: is browser-safe but imports \.\/files\/a\.ts/],
  );
  assertRefused(
    checkPackageGraph,
    {
      ...packageFiles('sdk', ['kit'], {
        'src/a.ts': `import { a } from '@clawdfather/kit/files';`,
      }),
      'packages/kit/package.json': '{"exports":{".":{},"./files":{}}}',
      'packages/kit/tsconfig.json': '{}',
    },
    [/sdk\/src\/a\.ts: is browser-safe but imports @clawdfather\/kit\/files/],
  );
});

test('store may import its users as types only', () => {
  assertRefused(
    checkPackageGraph,
    packageFiles('store', ['kit', 'threads'], {
      'src/a.ts': `import type { A } from '@clawdfather/threads';`,
      'src/b.ts': `import { b } from '@clawdfather/threads';`,
    }),
    [/b\.ts: store may not import/],
  );
});

test('only serve may import the gateway', () => {
  assertRefused(
    checkPackageGraph,
    packageFiles('cli', ['gateway'], {
      'src/serve.ts': `import { a } from '@clawdfather/gateway';`,
      'src/other.ts': `import { a } from '@clawdfather/gateway';`,
    }),
    [/other\.ts: cli may not import/],
  );
});

test('an import in a comment or a string is not one', () => {
  assertAccepted(
    checkPackageGraph,
    packageFiles('kit', [], {
      'src/a.ts': `// import { a } from '@clawdfather/shim';\n/* import '@clawdfather/cli' */\nexport const text = 1;`,
    }),
  );
});
