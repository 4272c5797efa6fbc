// One card of the first run: a radio with its words, and what belongs to it while it is chosen.
import { useId, type ReactNode } from "react";

interface CardProps {
  /** The group of radios. */
  group: string;
  testid: string;
  title: string;
  /** At the right of the title. */
  fact?: string;
  says: string;
  chosen: boolean;
  onChoose: () => void;
  children?: ReactNode;
}

/** The card. */
export function Card({ group, testid, title, fact, says, chosen, onChoose, children }: CardProps) {
  const id = useId();
  return (
    <div className="first-card" data-chosen={chosen}>
      <label className="first-card-head" htmlFor={id}>
        <input type="radio" className="radio" id={id} name={group} data-testid={testid} checked={chosen} aria-describedby={`${id}-says`} onChange={onChoose} />
        <span className="first-card-title">{title}</span>
        <span className="t2 num">{fact}</span>
        <span className="first-card-says t2 num" id={`${id}-says`}>
          {says}
        </span>
      </label>
      {chosen && children !== undefined ? <div className="first-card-more">{children}</div> : null}
    </div>
  );
}
