/*
 * The visible height in the three ways in which browsers show a keyboard, and when nothing tells of it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepVisibleHeight, type VisiblePage } from '../../src/shell/visible-height.ts';

/* A page whose frames come when the test says so. */
function openPage() {
  const listeners = new Map<string, (() => void)[]>();
  let frames: (() => void)[] = [];
  const listen = (of: string) => (name: string, listener: unknown) => {
    const key = `${of} ${name}`;
    listeners.set(key, [...(listeners.get(key) ?? []), listener as () => void]);
  };
  const viewport = { width: 390, height: 844, scale: 1, addEventListener: listen('viewport') };
  const shown: string[] = [];
  const focus = { isInField: false, isKeyboard: false, isTouch: true };
  const page = {
    visualViewport: viewport,
    screen: { width: 390, height: 844 },
    scrollX: 0,
    scrollY: 0,
    document: {
      documentElement: {
        style: { setProperty: (_name: string, value: string) => shown.push(value) },
        toggleAttribute: (_name: string, isOn: boolean) => {
          focus.isKeyboard = isOn;
        },
      },
      activeElement: { matches: () => focus.isInField },
      addEventListener: listen('document'),
    },
    matchMedia: () => ({ matches: focus.isTouch }),
    requestAnimationFrame: (read: () => void) => frames.push(read),
    scrollTo: () => {
      page.scrollY = 0;
    },
    addEventListener: listen('page'),
  };
  // The parts of a browser that the module uses, and no others.
  keepVisibleHeight(page as unknown as VisiblePage);
  return {
    page,
    viewport,
    focus,
    get height() {
      return shown.at(-1);
    },
    get isReading() {
      return frames.length > 0;
    },
    shown,
    tell: (key: string) => listeners.get(key)?.forEach((listener) => listener()),
    frame: (count = 1) => {
      for (let n = 0; n < count; n += 1) {
        const due = frames;
        frames = [];
        for (const read of due) read();
      }
    },
  };
}

test('a keyboard that resizes the page, or only the visual viewport, is told by one event', () => {
  const { viewport, tell, frame, ...rest } = openPage();
  frame(10);
  viewport.height = 508;
  tell('viewport resize');
  frame();
  assert.equal(rest.shown.at(-1), '508px');
  viewport.height = 844;
  tell('viewport resize');
  frame();
  assert.equal(rest.shown.at(-1), '844px');
});

test('a height that is right only frames after the event is found, and then reading ends', () => {
  const rig = openPage();
  rig.frame(10);
  rig.tell('viewport resize');
  rig.frame();
  assert.equal(rig.height, '844px');
  rig.viewport.height = 700;
  rig.frame();
  rig.viewport.height = 508;
  rig.frame();
  assert.equal(rig.height, '508px');
  rig.frame(60);
  assert.equal(rig.isReading, false);
});

test('coming back from another app, turning the phone and leaving an input are looked at without an event of the viewport', () => {
  for (const event of [
    'document visibilitychange',
    'page pageshow',
    'page orientationchange',
    'page focusin',
    'page focusout',
  ]) {
    const rig = openPage();
    rig.frame(10);
    rig.viewport.height = 390;
    rig.tell(event);
    rig.frame();
    assert.equal(rig.height, '390px', event);
  }
});

test('zooming with two fingers changes nothing; a page that was moved up is moved back', () => {
  const rig = openPage();
  rig.frame(10);
  rig.viewport.scale = 2;
  rig.viewport.height = 422;
  rig.tell('viewport resize');
  rig.frame(5);
  assert.equal(rig.height, '844px');
  rig.viewport.scale = 1;
  rig.viewport.height = 508;
  rig.page.scrollY = 120;
  rig.tell('page focusin');
  rig.frame();
  assert.equal(rig.page.scrollY, 0);
  assert.equal(rig.height, '508px');
});

test('a keyboard is open when a field has the focus and much of the screen is gone, until the screen is back', () => {
  const { viewport, focus, tell, frame } = openPage();
  frame(10);
  const turn = (width: number, height: number): void => {
    Object.assign(viewport, { width, height });
    tell('viewport resize');
    frame();
  };
  turn(390, 508);
  assert.equal(focus.isKeyboard, false, 'only a small window');
  focus.isInField = true;
  turn(390, 700);
  assert.equal(focus.isKeyboard, false, 'only the bars of a browser');
  focus.isTouch = false;
  turn(390, 508);
  assert.equal(focus.isKeyboard, false, 'a small window of a device without touch');
  focus.isTouch = true;
  turn(390, 500);
  assert.equal(focus.isKeyboard, true);
  turn(844, 200);
  assert.equal(focus.isKeyboard, true, 'turned; the screen of an iPhone is still upright');
  focus.isInField = false;
  turn(844, 210);
  assert.equal(focus.isKeyboard, true, 'it is still on its way down');
  turn(844, 340);
  assert.equal(focus.isKeyboard, false);
});
