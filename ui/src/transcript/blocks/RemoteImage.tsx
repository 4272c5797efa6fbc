// Looking at an answer asks nobody for anything: an image is fetched only when a person presses for that one image.
import { useState } from "react";
import { useText } from "../../l10n/l10n";
import { fetchable, selfContained } from "./url";

type Stage = "asked" | "waiting" | "failed";

/** An image of an answer: a box that names its host until somebody loads it. */
export function RemoteImage({ url, host, alt }: { url: string | null; host: string | null; alt: string }) {
  const t = useText();
  const [stage, setStage] = useState<Stage>("waiting");
  if (url !== null && selfContained(url)) return <img className="md-image" src={url} alt={alt} />;
  if (url !== null && stage === "asked" && fetchable(url)) {
    return (
      <img className="md-image" src={url} alt={alt} referrerPolicy="no-referrer" onError={() => setStage("failed")} />
    );
  }
  return (
    <span className="md-image-box" role="group" aria-label={alt === "" ? t("image") : t("image-named", { alt })}>
      <span className="md-image-alt">{alt === "" ? t("image") : alt}</span>
      <span className="md-image-host">{imageWords(t, host, fetchable(url), stage)}</span>
      {fetchable(url) && (
        <button type="button" className="btn sm" onClick={() => setStage("asked")}>
          {stage === "failed" ? t("image-again") : t("image-load")}
        </button>
      )}
    </span>
  );
}

function imageWords(t: ReturnType<typeof useText>, host: string | null, allowed: boolean, stage: Stage): string {
  if (!allowed) return t("image-refused");
  if (stage === "failed") return t("image-failed", { host: host ?? "" });
  return t("image-from", { host: host ?? "" });
}
