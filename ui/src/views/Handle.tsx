// The edge of a pane: dragged to a width, pressed twice for the usual one.
import { useEffect, useState, type KeyboardEvent, type PointerEvent, type RefObject } from "react";
import { useText } from "../l10n/l10n";

const LIMITS = {
  sidebar: { least: 200, usual: 248, most: 360, direction: 1 },
  rail: { least: 300, usual: 348, most: 560, direction: -1 },
} as const;
const STEP_PX = 16;

interface HandleProps {
  frame: RefObject<HTMLElement | null>;
  pane: keyof typeof LIMITS;
}

/** The handle. */
export function Handle({ frame, pane }: HandleProps) {
  const t = useText();
  const { least, usual, most, direction } = LIMITS[pane];
  const [width, setWidth] = useState(() => clamp(Number(localStorage.getItem(`gatehouse.${pane}`) ?? usual), least, most));
  useEffect(() => {
    frame.current?.style.setProperty(`--${pane}-width`, `${width}px`);
    localStorage.setItem(`gatehouse.${pane}`, String(width));
  }, [frame, pane, width]);
  const onPointerMove = (event: PointerEvent): void => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const x = direction === 1 ? event.clientX : window.innerWidth - event.clientX;
    setWidth(clamp(x, least, most));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    const sign = (event.key === "ArrowRight" ? 1 : -1) * direction;
    setWidth(clamp(width + sign * STEP_PX, least, most));
  };
  return (
    <div
      className="handle"
      data-side={pane}
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={pane === "sidebar" ? t("handle-sidebar") : t("handle-rail")}
      aria-valuenow={width}
      aria-valuemin={least}
      aria-valuemax={most}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onDoubleClick={() => setWidth(usual)}
      onKeyDown={onKeyDown}
    />
  );
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, Number.isFinite(value) ? Math.round(value) : least));
}
