// The product's mark: an arch; its window is lit only while somebody is needed.

/** The mark at 18 px. */
export function GateMark({ lit }: { lit: boolean }) {
  return (
    <svg className="gate-mark" viewBox="0 0 16 16" aria-hidden data-lit={lit}>
      <path fill="currentColor" d="M1 14V8a7 7 0 0 1 14 0v6h-4V8a3 3 0 0 0-6 0v6z" />
      {lit ? <path className="gate-lamp" d="M6 14V8.5a2 2 0 0 1 4 0V14z" /> : null}
    </svg>
  );
}
