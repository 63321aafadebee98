/*
 * The scripts of the pages, with as much of a browser as they use: what is exchanged, what is left where it is, where one is led.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';

function textOf(file: string): string {
  return readFileSync(new URL(`../../static/${file}`, import.meta.url), 'utf8');
}

interface FakePage {
  readonly runs: string | undefined;
  readonly requests: readonly string[];
}

/* The page as a person has it open; `fresh` is what the gateway answers. */
function openHome(open: FakePage, fresh: FakePage) {
  const state = { runs: open.runs, isChangedHidden: true };
  let tick: () => void = () => {};
  const asked = Promise.withResolvers<void>();
  const pageOf = ({ runs, requests }: FakePage) => ({
    getElementById: () => (runs === undefined ? null : { innerHTML: runs }),
    querySelectorAll: () => requests.map((request) => ({ dataset: { request } })),
  });
  const changed = {
    get hidden() {
      return state.isChangedHidden;
    },
    set hidden(isHidden: boolean) {
      state.isChangedHidden = isHidden;
      asked.resolve();
    },
  };
  const runs = {
    get innerHTML() {
      return state.runs;
    },
    replaceWith: (other: { readonly innerHTML: string }) => {
      state.runs = other.innerHTML;
    },
  };
  const document = {
    ...pageOf(open),
    hidden: false,
    adoptNode: (node: unknown) => node,
    addEventListener: () => {},
    getElementById: (id: string) => (id === 'changed' ? changed : runs),
  };
  runInNewContext(textOf('home/home.js'), {
    document,
    fetch: async () => ({ ok: true, text: async () => '' }),
    DOMParser: class {
      parseFromString() {
        if (fresh.runs === undefined) asked.resolve();
        return pageOf(fresh);
      }
    },
    window: {
      setInterval: (work: () => void) => {
        tick = work;
      },
    },
  });
  return {
    state,
    refresh: async () => {
      tick();
      await asked.promise;
    },
  };
}

test('runs are exchanged in place; new requests are only told of', async () => {
  const home = openHome({ runs: 'old', requests: ['a'] }, { runs: 'new', requests: ['a', 'b'] });
  await home.refresh();
  assert.deepEqual(home.state, { runs: 'new', isChangedHidden: false });
  const same = openHome({ runs: 'old', requests: ['a'] }, { runs: 'old', requests: ['a'] });
  await same.refresh();
  assert.deepEqual(same.state, { runs: 'old', isChangedHidden: true });
});

test('a page of somebody who was signed out stays as it is', async () => {
  const home = openHome({ runs: 'old', requests: [] }, { runs: undefined, requests: [] });
  await home.refresh();
  assert.deepEqual(home.state, { runs: 'old', isChangedHidden: true });
});

test('a sign-in leads to the page of runs, without a place in the history; a refused one does not', async () => {
  for (const isGood of [true, false]) {
    const led: string[] = [];
    const told = Promise.withResolvers<void>();
    const fields = new Map<string, { textContent?: string; hidden?: boolean }>();
    const elementOf = (id: string) => {
      const found = fields.get(id) ?? {};
      fields.set(id, found);
      return id === 'github' ? null : found;
    };
    const asked: string[] = [];
    runInNewContext(textOf('login/login.js'), {
      document: { getElementById: elementOf },
      history: { replaceState: () => {} },
      location: {
        hash: '#clf-link=secret',
        pathname: '/login',
        replace: (path: string) => {
          led.push(path);
          told.resolve();
        },
      },
      URLSearchParams,
      addEventListener: () => {},
      fetch: async (path: string) => {
        asked.push(path);
        if (path.endsWith('/me')) queueMicrotask(() => !isGood && told.resolve());
        const account = { display_name: 'Owner' };
        return { ok: isGood || !path.endsWith('/me'), json: async () => ({ account }) };
      },
    });
    await told.promise;
    assert.deepEqual(led, isGood ? ['/'] : []);
    assert.deepEqual(asked, ['/api/v1/auth/login-link', '/api/v1/auth/me']);
  }
});
