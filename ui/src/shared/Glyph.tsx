// How a thing stands, as a silhouette. Every state has its own outline, so the window reads without colour.
import {
  Activity,
  Check,
  CircleDashed,
  CircleDot,
  CircleSlash2,
  Eye,
  EyeOff,
  Hourglass,
  Loader,
  Moon,
  OctagonX,
  TriangleAlert,
  Unplug,
} from "lucide-react";
import { useSecondTick } from "./tick";
import "./glyph.css";

/** The states that have a glyph. */
export type GlyphName =
  | "pending"
  | "starting"
  | "running"
  | "ready"
  | "complete"
  | "failed"
  | "needs"
  | "quiet"
  | "stopping"
  | "stopped"
  | "lost"
  | "alert"
  | "seen"
  | "unwatched"
  | "beat";

const ICONS = {
  pending: CircleDashed,
  starting: Loader,
  ready: CircleDot,
  complete: Check,
  failed: OctagonX,
  quiet: Moon,
  stopping: Hourglass,
  stopped: CircleSlash2,
  lost: Unplug,
  alert: TriangleAlert,
  seen: Eye,
  unwatched: EyeOff,
  beat: Activity,
};

/** A state glyph, 16 px, or 14 beside small text. It is silent for readers: the words stand beside it. */
export function Glyph({ name, small = false }: { name: GlyphName; small?: boolean }) {
  const size = small ? "glyph glyph-small" : "glyph";
  if (name === "needs") {
    return (
      <span className={`${size} glyph-needs`} data-glyph={name} aria-hidden>
        ?
      </span>
    );
  }
  if (name === "running") return <Half className={size} />;
  const Icon = ICONS[name];
  return <Icon className={`${size} glyph-${name}`} data-glyph={name} strokeWidth={1.75} aria-hidden />;
}

/** Half a disc in a ring. It makes a quarter turn with the shared second, and nothing between two seconds. */
function Half({ className }: { className: string }) {
  const now = useSecondTick(true);
  const turn = Math.floor(now / 1000) % 4;
  return (
    <svg
      className={`${className} glyph-running glyph-turn-${turn}`}
      data-glyph="running"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      aria-hidden
    >
      <circle cx="12" cy="12" r="9" />
      <path d="M12 3a9 9 0 0 1 0 18z" fill="currentColor" stroke="none" />
    </svg>
  );
}
