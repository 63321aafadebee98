/*
 * Pictures that go along with a prompt. Which form an agent takes is known only when it runs, and a prompt may wait for days. So the row of a
 * turn has both: a link to the file, and in it the bytes. What is sent is one of them, and what is shown is the link.
 */
import type { AgentCapabilities } from '../rows.ts';
import type { JsonObject } from '../wire/json-rpc.ts';

/* In base64, in a block of the type `resource_link`. */
const pictureField = 'picture';

/* Of ACP, as far as models take them. */
const pictureTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
]);

/* Of all pictures of a prompt together, as they are. In base64 they are not longer than a text may be, which every agent gets as one line. */
export const pictureBytesMax = 700 * 1024;

export function isPicture(mimeType: string): boolean {
  return pictureTypes.has(mimeType);
}

export function withPicture<Link extends JsonObject>(link: Link, bytes: Uint8Array): JsonObject {
  return { ...link, [pictureField]: Buffer.from(bytes).toString('base64') };
}

export function withoutPictures(prompt: readonly JsonObject[]): readonly JsonObject[] {
  return prompt.map(({ [pictureField]: _data, ...block }) => block);
}

export function promptFor(
  prompt: readonly JsonObject[],
  capabilities: AgentCapabilities | undefined,
): readonly JsonObject[] {
  if (capabilities?.prompt['image'] !== true) return withoutPictures(prompt);
  return prompt.map((block) => {
    const { [pictureField]: data, ...link } = block;
    if (typeof data !== 'string') return link;
    return { type: 'image', mimeType: link['mimeType'] ?? '', data, uri: link['uri'] ?? '' };
  });
}
