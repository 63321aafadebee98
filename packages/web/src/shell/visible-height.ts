/*
 * How much of the page can be seen: without what a keyboard covers. Written to `--visible-height`, which the frame is as high as.
 *
 * Browsers that resize the page for the keyboard need none of this; iOS only shrinks the visual viewport, and tells so before the new
 * height can be read. So after each sign of a change it is read frame by frame until it holds still. A page that iOS has moved up to
 * show an input is moved back. Zooming in with two fingers shrinks the visual viewport as well, and changes nothing here.
 *
 * No browser says that a keyboard is open. It is taken to be when a field has the focus and much of the screen is gone, and until the screen
 * is back: the root has `data-keyboard` meanwhile, and the bar of places makes room. Where nothing is touched there is no such keyboard, only
 * a small window.
 */
export interface VisiblePage {
  readonly visualViewport: Pick<
    VisualViewport,
    'width' | 'height' | 'scale' | 'addEventListener'
  > | null;
  readonly screen: Pick<Screen, 'width' | 'height'>;
  readonly document: Pick<Document, 'documentElement' | 'activeElement' | 'addEventListener'>;
  readonly scrollX: number;
  readonly scrollY: number;
  matchMedia(query: string): Pick<MediaQueryList, 'matches'>;
  requestAnimationFrame(read: () => void): unknown;
  scrollTo(x: number, y: number): void;
  addEventListener(name: string, listener: () => void): void;
}

/* The animation of a keyboard, at 60 frames a second, with room. */
const framesMax = 60;
/* So often the same height is no longer on its way to another one. */
const stillFrames = 6;

/* Of the screen. A keyboard leaves less of it, the bars of a browser leave more. */
const keyboardShare = 0.7;

export function keepVisibleHeight(page: VisiblePage): void {
  const { visualViewport } = page;
  if (visualViewport === null) return;
  let framesLeft = 0;
  let still = 0;
  let lastHeight = 0;
  let isOpen = false;
  const read = (): void => {
    framesLeft -= 1;
    const { height, scale } = visualViewport;
    if (scale <= 1.01) {
      const whole = Math.round(height);
      still = whole === lastHeight ? still + 1 : 0;
      if (whole !== lastHeight) show(page, whole);
      lastHeight = whole;
      const wasOpen = isOpen;
      isOpen = isShort(page, visualViewport) && (isOpen || hasField(page));
      if (isOpen !== wasOpen)
        page.document.documentElement.toggleAttribute('data-keyboard', isOpen);
      if (page.scrollX !== 0 || page.scrollY !== 0) page.scrollTo(0, 0);
    }
    if (framesLeft > 0 && still < stillFrames) page.requestAnimationFrame(read);
    else framesLeft = 0;
  };
  const ask = (): void => {
    const isReading = framesLeft > 0;
    framesLeft = framesMax;
    still = 0;
    if (!isReading) page.requestAnimationFrame(read);
  };
  visualViewport.addEventListener('resize', ask);
  // Back from another app, with a keyboard that is still open or just gone.
  page.document.addEventListener('visibilitychange', ask);
  for (const event of ['focusin', 'focusout', 'pageshow', 'orientationchange', 'resize']) {
    page.addEventListener(event, ask);
  }
  ask();
}

/* iOS names the sides of the screen as if it were held upright, always. */
function isShort({ screen }: VisiblePage, { width, height }: { width: number; height: number }) {
  const shorter = Math.min(screen.width, screen.height);
  const whole = width <= shorter ? Math.max(screen.width, screen.height) : shorter;
  return height < whole * keyboardShare;
}

function hasField(page: VisiblePage): boolean {
  const { activeElement } = page.document;
  const isField = activeElement?.matches('input, textarea, select, [contenteditable]') === true;
  return isField && page.matchMedia('(any-pointer: coarse)').matches;
}

function show({ document }: VisiblePage, height: number): void {
  document.documentElement.style.setProperty('--visible-height', `${height}px`);
}
