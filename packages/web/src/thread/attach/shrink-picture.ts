/*
 * Makes a picture smaller, when a person asks for it: agents see no more in a larger one, and it takes longer to bring.
 */

/* Of the longer side. */
const pixelsMax = 2_048;
const quality = 0.85;
const kinds = ['image/jpeg', 'image/png', 'image/webp'];

export async function isLargePicture(file: Blob): Promise<boolean> {
  const bitmap = await bitmapOf(file);
  if (bitmap === undefined) return false;
  const isLarge = Math.max(bitmap.width, bitmap.height) > pixelsMax;
  bitmap.close();
  return isLarge;
}

/* Undefined: it is no picture that this browser knows. */
export async function shrinkPicture(file: Blob, name: string): Promise<File | undefined> {
  const bitmap = await bitmapOf(file);
  if (bitmap === undefined) return undefined;
  const scale = pixelsMax / Math.max(bitmap.width, bitmap.height);
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(bitmap.width * scale);
  canvas.height = Math.round(bitmap.height * scale);
  const context = canvas.getContext('2d');
  context?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, file.type, quality);
  });
  // A browser that cannot write this kind gives another one; the name would be wrong for it.
  if (context === null || blob?.type !== file.type) return undefined;
  return new File([blob], name, { type: file.type });
}

async function bitmapOf(file: Blob): Promise<ImageBitmap | undefined> {
  if (!kinds.includes(file.type)) return undefined;
  try {
    return await createImageBitmap(file);
  } catch {
    // Not what it says it is.
    return undefined;
  }
}
