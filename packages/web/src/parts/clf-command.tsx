/*
 * A command to type on the machine of the gateway. Who has started the gateway with `npm start` has no `clf` in the path, and the gateway
 * does not tell the app which it is: both ways are shown.
 */
import { Copyable } from './copyable.tsx';

export function ClfCommand({ words, name }: { readonly words: string; readonly name: string }) {
  return (
    <>
      <Copyable text={`clf ${words}`} name={name} />
      <p class="quiet">
        After <code>npm start</code>, in the same directory: <code>npx clf {words}</code>
      </p>
    </>
  );
}
