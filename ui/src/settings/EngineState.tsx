// What the embedded engine does for one provider, and what its model can do.
import type { Engine, ProviderSetting } from "../bridge/wire";
import { useEngine } from "../feed/hooks";
import { useText, type Translate } from "../l10n/l10n";
import { count, size } from "../shared/format";

/** Below the provider's name. */
export function EngineState({ provider }: { provider: ProviderSetting }) {
  const t = useText();
  const engine = useEngine();
  const isStarter = provider.models.length === 0 || provider.models[0] === "starter";
  return (
    <>
      <p className="set-effect">{isStarter ? t("starter-note") : t("chat-only-note")}</p>
      {engine === null ? null : (
        <p className="set-effect num" data-testid={`engine-${provider.name}`}>
          {engine.installed ? stateWords(t, engine, provider.name) : t("engine-absent")}
        </p>
      )}
    </>
  );
}

function stateWords(t: Translate, { provider, state, percent, takes }: Engine, name: string): string {
  // It holds one model at a time.
  if (provider !== name) return t("engine-asleep");
  if (state === "loading") return t("model-loading-now", { percent: percent ?? 0 });
  if (state !== "ready" || takes == null) return t("engine-asleep");
  return t("engine-ready", { memory: size(takes.memoryBytes), context: count(takes.context), threads: takes.threads });
}
