/*
 * What is said of how notifications stand on this device, each with what to do about it.
 */
import type { Mood } from '../parts/rows.tsx';
import type { PushStanding } from './push-standing.ts';

interface Words {
  readonly word: string;
  readonly mood: Mood;
  readonly text: string;
}

export const standingWords: Readonly<Record<PushStanding, Words>> = {
  'not-secure': {
    word: 'needs https',
    mood: 'waiting',
    text: 'Browsers allow notifications only over https. Open the app at its https address; the page about the app says how to get one.',
  },
  'not-installed': {
    word: 'not installed',
    mood: 'waiting',
    text: 'On an iPhone or iPad, notifications work in the installed app. Tap Share, then Add to Home Screen, and open the app from there.',
  },
  'not-supported': {
    word: 'not supported',
    mood: 'plain',
    text: 'This browser has no notifications. A webhook or ntfy can tell you instead: see notify in the settings of the gateway.',
  },
  denied: {
    word: 'denied',
    mood: 'bad',
    text: 'Notifications of this app were denied here. Allow them in the settings of the browser or of the phone, then come back.',
  },
  off: {
    word: 'off',
    mood: 'plain',
    text: 'A phone in the pocket can tell you when an agent waits for you or is done. No command and no title is in it.',
  },
  broken: {
    word: 'broken',
    mood: 'bad',
    text: 'This device could not be reached. Turn them on again.',
  },
  working: {
    word: 'on',
    mood: 'good',
    text: 'This device is told. While you look at the app, it is not.',
  },
};
