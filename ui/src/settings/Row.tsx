// A row of the settings: what it is called, what it does, its control at the right, and what is wrong with it.
import { OctagonX } from "lucide-react";
import { useId, type ReactNode } from "react";
import { useText } from "../l10n/l10n";

/** What a control takes over, so that it is named and described. */
export interface Bound {
  readonly id: string;
  readonly describedBy: string;
  readonly invalid: boolean;
}

interface RowProps {
  /** The Fluent id of its label; search finds the row by it. */
  label: string;
  effect: ReactNode;
  error?: string | null;
  control: (bound: Bound) => ReactNode;
}

/** The row. */
export function Row({ label, effect, error = null, control }: RowProps) {
  const t = useText();
  const id = useId();
  const describedBy = error === null ? `${id}-effect` : `${id}-error ${id}-effect`;
  return (
    <div className="set" data-row={label}>
      <label className="set-label" htmlFor={id}>
        {t(label)}
      </label>
      <div className="set-control">{control({ id, describedBy, invalid: error !== null })}</div>
      <p className="set-effect" id={`${id}-effect`}>
        {effect}
      </p>
      {error === null ? null : <FieldError id={`${id}-error`}>{error}</FieldError>}
    </div>
  );
}

/** What is wrong with the field above. */
export function FieldError({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p className="set-error" id={id} role="alert">
      <OctagonX className="icon k" aria-hidden />
      <span>{children}</span>
    </p>
  );
}
