/*
 * An answer that is worth compressing, for those who take it so: pages of history, which a phone reads over a slow network. Nothing secret
 * is in such a page beside what its reader has asked for, so its length gives nothing away.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestFacts } from '../http/handlers.ts';

const gzipAside = promisify(gzip);
/* Less than this fits one packet anyway. */
const plainBytesMax = 1_024;

export async function compressed<Answer extends object>(
  call: Pick<RequestFacts, 'header' | 'reply'>,
  answer: Answer,
): Promise<Answer> {
  const { reply } = call;
  void reply.header('vary', 'accept-encoding');
  if (!takesGzip(call.header('accept-encoding') ?? '')) return answer;
  const plain = Buffer.from(JSON.stringify(answer));
  if (plain.length <= plainBytesMax) return answer;
  const bytes = await gzipAside(plain);
  void reply.header('content-encoding', 'gzip');
  void reply.header('content-type', 'application/json; charset=utf-8');
  // Bytes are sent as they are; to the type they are what is in them.
  return bytes as object as Answer;
}

/* By name. `gzip;q=0` refuses it. */
export function takesGzip(acceptEncoding: string): boolean {
  return acceptEncoding.split(',').some((coding) => {
    const [name = '', ...parameters] = coding.split(';').map((part) => part.trim().toLowerCase());
    return name === 'gzip' && !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one));
  });
}
