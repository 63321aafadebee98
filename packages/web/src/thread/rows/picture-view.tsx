/*
 * A picture from an agent. Its place is as large before the browser has read it as afterwards: what is read below it stays where it is.
 */
import { useMemo } from 'preact/hooks';
import { pictureSizeOf } from './picture-size.ts';

/* Of the height of the window, in per cent: what belongs to it is still seen above and below. */
const heightMax = 60;

export function PictureView({
  data,
  mimeType,
}: {
  readonly data: string;
  readonly mimeType: string;
}) {
  const size = useMemo(() => pictureSizeOf(data, mimeType), [data, mimeType]);
  const src = `data:${mimeType};base64,${data}`;
  if (size === undefined) return <img class="picture of-any-size" src={src} alt="From the agent" />;
  const ratio = size.width / size.height;
  return (
    <img
      class="picture"
      src={src}
      alt="From the agent"
      style={{
        width: `min(100%, ${size.width}px, ${heightMax * ratio}vh)`,
        aspectRatio: `${ratio}`,
      }}
    />
  );
}
