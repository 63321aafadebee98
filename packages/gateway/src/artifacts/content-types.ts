/*
 * What an artifact is called on the wire, by the ending of its name. A fixed table: nothing in it is a page that a browser would run in our
 * origin, so HTML, SVG and XML are plain text. What is not known is bytes.
 */
const types: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  css: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  diff: 'text/plain; charset=utf-8',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gif: 'image/gif',
  gz: 'application/gzip',
  htm: 'text/plain; charset=utf-8',
  html: 'text/plain; charset=utf-8',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/plain; charset=utf-8',
  json: 'application/json',
  jsonl: 'text/plain; charset=utf-8',
  log: 'text/plain; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  mjs: 'text/plain; charset=utf-8',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  ogg: 'audio/ogg',
  patch: 'text/plain; charset=utf-8',
  pdf: 'application/pdf',
  png: 'image/png',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  py: 'text/plain; charset=utf-8',
  rs: 'text/plain; charset=utf-8',
  sh: 'text/plain; charset=utf-8',
  svg: 'text/plain; charset=utf-8',
  tar: 'application/x-tar',
  tgz: 'application/gzip',
  toml: 'text/plain; charset=utf-8',
  ts: 'text/plain; charset=utf-8',
  tsv: 'text/tab-separated-values; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'text/plain; charset=utf-8',
  yaml: 'text/plain; charset=utf-8',
  yml: 'text/plain; charset=utf-8',
  zip: 'application/zip',
};

const bytes = 'application/octet-stream';

export function contentTypeOf(path: string): string {
  const ending = /\.([a-z0-9]{1,8})$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(types, ending) ? (types[ending] ?? bytes) : bytes;
}
