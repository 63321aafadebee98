/*
 * How much of the page can be seen: without what a keyboard covers. Written to `--visible-height`, which the frame is as high as.
 *
 * Browsers that resize the page for the keyboard need none of this; iOS only shrinks the visual viewport, and tells so before the
 * new height can be read: it is read in the next frame. A page that iOS has moved up to show an input is moved back. Zooming in
 * with two fingers shrinks the visual viewport as well, and changes nothing here.
 */
type Page = Pick<
  Window,
  'visualViewport' | 'requestAnimationFrame' | 'scrollTo' | 'addEventListener'
> & {
  readonly document: Document;
};

export function keepVisibleHeight(page: Page): void {
  const { visualViewport } = page;
  if (visualViewport === null) return;
  let isAsked = false;
  const read = (): void => {
    isAsked = false;
    if (visualViewport.scale > 1.01) return;
    const height = `${Math.round(visualViewport.height)}px`;
    page.document.documentElement.style.setProperty('--visible-height', height);
    page.scrollTo(0, 0);
  };
  const ask = (): void => {
    if (isAsked) return;
    isAsked = true;
    page.requestAnimationFrame(read);
  };
  visualViewport.addEventListener('resize', ask);
  for (const event of ['focusin', 'focusout', 'pageshow', 'orientationchange']) {
    page.addEventListener(event, ask);
  }
  ask();
}
