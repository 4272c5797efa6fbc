// What Gatehouse itself has to say: one line between two hairlines.

/** A system entry. */
export function SystemLine({ text }: { text: string }) {
  return (
    <div className="system" role="note">
      <span className="system-text">{text}</span>
    </div>
  );
}
