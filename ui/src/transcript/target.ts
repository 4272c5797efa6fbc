// An item that was asked for from elsewhere: the transcript goes there, and the item is tinted for a moment.
import { useEffect, useEffectEvent, useState } from "react";
import { useSlice } from "../feed/hooks";

const TINT_MS = 2000;
/** Requests that were followed; a transcript that is opened again does not follow them again. */
let followed = 0;

/** The item to be tinted. */
export function useTarget(sessionId: string, showSeq: (seq: number) => void): number | null {
  const target = useSlice((store) => store.selection.target);
  const [faded, setFaded] = useState(() => followed);
  const show = useEffectEvent(showSeq);
  useEffect(() => {
    if (target === null || target.sessionId !== sessionId || target.asked <= followed) return undefined;
    followed = target.asked;
    show(target.seq);
    const timer = setTimeout(() => setFaded(target.asked), TINT_MS);
    return () => clearTimeout(timer);
  }, [sessionId, target]);
  return target !== null && target.sessionId === sessionId && target.asked > faded ? target.seq : null;
}
