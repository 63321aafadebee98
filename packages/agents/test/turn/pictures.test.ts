/*
 * Pictures of a prompt: which form an agent gets, and that people are never shown the bytes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentCapabilities } from '../../src/rows.ts';
import { promptFor, withoutPictures, withPicture } from '../../src/turn/pictures.ts';

const link = { type: 'resource_link', uri: 'file:///a/b.png', mimeType: 'image/png', size: 3 };
const text = { type: 'text', text: 'look' };
const prompt = [text, withPicture(link, Buffer.from('abc')), { ...link, uri: 'file:///c.png' }];
const capabilitiesWith = (image: unknown): AgentCapabilities => ({
  protocolVersion: 1,
  canResume: false,
  canLoad: false,
  canClose: false,
  canDelete: false,
  authMethods: [],
  prompt: { image } as AgentCapabilities['prompt'],
});

test('an agent that takes pictures gets those whose bytes are there, and links for the others', () => {
  assert.deepEqual(promptFor(prompt, capabilitiesWith(true)), [
    text,
    { type: 'image', mimeType: 'image/png', data: 'YWJj', uri: link.uri },
    { ...link, uri: 'file:///c.png' },
  ]);
});

test('every other agent gets links, and so do people', () => {
  const links = [text, link, { ...link, uri: 'file:///c.png' }];
  for (const image of [false, undefined, 'true', 1]) {
    assert.deepEqual(promptFor(prompt, capabilitiesWith(image)), links);
  }
  assert.deepEqual(promptFor(prompt, undefined), links);
  assert.deepEqual(withoutPictures(prompt), links);
});
