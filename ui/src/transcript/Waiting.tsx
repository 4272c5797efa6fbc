// What a turn waits for before its first word: the model that is being loaded, and how much of it is there.
import { useEngine, useSession, useSetup } from "../feed/hooks";
import { useText } from "../l10n/l10n";

/** The line below the transcript; nothing while nothing loads. */
export function Waiting({ sessionId }: { sessionId: string }) {
  const t = useText();
  const isRunning = useSession(sessionId)?.runningTurnId != null;
  const model = useSetup().health?.model ?? "";
  const engine = useEngine();
  // A turn of another provider's model does not wait for this one.
  if (!isRunning || engine?.state !== "loading" || engine.provider == null || !model.startsWith(`${engine.provider}/`)) return null;
  const percent = engine.percent ?? 0;
  return (
    <div className="waiting">
      <progress className="waiting-bar" max={100} value={percent} aria-label={t("model-loading")} />
      <span className="num">{t("model-loading-now", { percent })}</span>
    </div>
  );
}
