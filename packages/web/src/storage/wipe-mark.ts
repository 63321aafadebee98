/*
 * That what is kept here is to be removed, and perhaps was not yet: the page may be closed in the middle of it, and a database may not answer.
 * It is for all tabs, and for the next start. In localStorage, which is written at once.
 */
export interface WipeMark {
  readonly isSet: () => boolean;
  readonly set: (isBegun: boolean) => void;
}

const place = 'clf-wiping';

export function openWipeMark(page: {
  /* Throws where the browser refuses it. */
  readonly localStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
}): WipeMark {
  // Where it is refused, for lack of room perhaps, this page knows at least.
  let isBegunHere = false;
  return {
    isSet: () => {
      try {
        return isBegunHere || page.localStorage.getItem(place) !== null;
      } catch {
        return false;
      }
    },
    set: (isBegun) => {
      try {
        if (isBegun) page.localStorage.setItem(place, '1');
        else page.localStorage.removeItem(place);
        isBegunHere = false;
      } catch {
        isBegunHere = isBegun;
      }
    },
  };
}
