/*
 * Examples of a first message, each a tap away from the field where it is written.
 */
const promptExamples = [
  'Explain what this repository does, and how its parts fit together.',
  'Find the test that fails most often, and tell me why.',
  'Update the dependencies, run the tests, and show me what changed.',
];

export function Examples({ onPick }: { readonly onPick: (text: string) => void }) {
  return (
    <ul class="examples">
      {promptExamples.map((text) => (
        <li key={text}>
          <button type="button" class="button" onClick={() => onPick(text)}>
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}
