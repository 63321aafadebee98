/*
 * Our icons: strokes on a grid of 24, drawn here, so that nothing has to be loaded for them. They are decoration: whatever they
 * stand for is said in words beside them.
 */
const strokes = {
  inbox: 'M4 13v4a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-4M4 13l2.5-7.5h11L20 13M4 13h4l1.5 2.5h5L16 13h4',
  threads:
    'M5 5h14a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1h-7l-4 4v-4H5a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zM8 9h8M8 12h5',
  plus: 'M12 5v14M5 12h14',
  runs: 'M5 7l4 5-4 5M12 17h7',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  back: 'M15 5l-7 7 7 7',
  forward: 'M9 5l7 7-7 7',
  close: 'M6 6l12 12M18 6L6 18',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  stop: 'M7 7h10v10H7z',
  send: 'M12 19V5M6 11l6-6 6 6',
  host: 'M4 5h16v6H4zM4 13h16v6H4zM7.5 8h.01M7.5 16h.01',
  key: 'M14.5 9.5a3.5 3.5 0 1 0-3.4 3.5L9 15v2H7v2H4v-3l5-5',
  device: 'M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11 18h2',
  audit: 'M7 4h10a1 1 0 0 1 1 1v15l-3-2-3 2-3-2-3 2V5a1 1 0 0 1 1-1zM9 9h6M9 13h6',
  settings: 'M5 8h8M17 8h2M13 6v4M5 16h2M11 16h8M9 14v4',
  find: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5',
  microphone:
    'M12 4a2.5 2.5 0 0 1 2.5 2.5v5a2.5 2.5 0 0 1-5 0v-5A2.5 2.5 0 0 1 12 4zM6 11.5a6 6 0 0 0 12 0M12 17.5V21',
  attach:
    'M19 11.5l-7.2 7.2a4.6 4.6 0 0 1-6.5-6.5L12.9 4.6a3.1 3.1 0 0 1 4.4 4.4l-7.4 7.4a1.5 1.5 0 0 1-2.2-2.1l6.7-6.8',
  copy: 'M9 9h10v10H9zM5 15V5h10',
} as const;

export type IconName = keyof typeof strokes;

export function Icon({ name }: { readonly name: IconName }) {
  const width = name === 'more' ? 3 : 1.75;
  return (
    <svg
      width="24"
      height="24"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width={width}
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={strokes[name]} />
    </svg>
  );
}
