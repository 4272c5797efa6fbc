// Over an output that stands still: how much came meanwhile, and the way back to its end.

/** The button. */
export function FollowPill({ words, onFollow }: { words: string; onFollow: () => void }) {
  return (
    <button type="button" className="btn sm output-follow" onClick={onFollow}>
      {words}
    </button>
  );
}
