// Asking a provider whether it can be used, and what came of it.
import { Check, OctagonX } from "lucide-react";
import { useRef, useState } from "react";
import { asCallError } from "../bridge/bridge";
import type { TestProvider, TestProviderReply } from "../bridge/wire";
import { useBridge } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { count } from "../shared/format";

/** How a test stands. */
export type Tested = { readonly kind: "asking" } | { readonly kind: "answered"; readonly reply: TestProviderReply } | { readonly kind: "failed"; readonly message: string };

/** A way to test, and the last outcome. */
export interface Probe {
  readonly tested: Tested | null;
  /** Answers with the models, or with nothing when the provider cannot be used. */
  run(params: TestProvider): Promise<readonly string[] | null>;
  forget(): void;
}

/** One place to test a provider. */
export function useProbe(): Probe {
  const bridge = useBridge();
  const [tested, setTested] = useState<Tested | null>(null);
  const last = useRef(0);
  return {
    tested,
    async run(params) {
      last.current += 1;
      const mine = last.current;
      // Only the newest question counts: an older answer is about another address or key.
      const tell = (next: Tested): void => {
        if (last.current === mine) setTested(next);
      };
      setTested({ kind: "asking" });
      try {
        const reply = await bridge.call("test_provider", params);
        tell({ kind: "answered", reply });
        return reply.problem == null ? reply.models : null;
      } catch (reason) {
        tell({ kind: "failed", message: asCallError(reason).message });
        return null;
      }
    },
    forget() {
      last.current += 1;
      setTested(null);
    },
  };
}

/** What came of it, in a line or two. A file is looked at, not asked. */
export function Outcome({ tested, isFile = false }: { tested: Tested | null; isFile?: boolean }) {
  const t = useText();
  if (tested === null) return null;
  switch (tested.kind) {
    case "asking":
      return (
        <p className="set-outcome t2" role="status">
          {t("provider-asking")}
        </p>
      );
    case "failed":
      return <Wrong message={tested.message} />;
    case "answered": {
      const { latencyMs, models, problem } = tested.reply;
      if (problem != null) return <Wrong message={problem.message} mend={problem.mend} />;
      return (
        <p className="set-outcome num" role="status" data-testid="provider-answer">
          <Check className="icon k set-done" aria-hidden />
          <span>{isFile ? t("model-file-fine") : t("provider-answered", { ms: count(latencyMs), count: models.length })}</span>
        </p>
      );
    }
  }
}

function Wrong({ message, mend }: { message: string; mend?: string }) {
  return (
    <div className="set-outcome set-wrong" role="alert" data-testid="provider-problem">
      <OctagonX className="icon k" aria-hidden />
      <span>
        {message} {mend === undefined ? null : <span className="t2">{mend}</span>}
      </span>
    </div>
  );
}
