// Looking at an answer asks nobody for anything: an image is fetched only when a person presses for that one image.
import { useBridge } from "../../feed/hooks";
import { useText } from "../../l10n/l10n";
import { fetchPicture, type Picture, usePicture } from "./images";
import { fetchable, selfContained } from "./url";

/** An image of an answer: a box that names its host until somebody loads it. */
export function RemoteImage({ url, host, alt }: { url: string | null; host: string | null; alt: string }) {
  const t = useText();
  const bridge = useBridge();
  const allowed = fetchable(url);
  const picture = usePicture(allowed ? url : null);
  if (url !== null && selfContained(url)) return <img className="md-image" src={url} alt={alt} />;
  if (picture?.kind === "here") {
    return <img className="md-image" src={picture.url} width={picture.width} height={picture.height} alt={alt} />;
  }
  return (
    <span className="md-image-box" role="group" aria-label={alt === "" ? t("image") : t("image-named", { alt })}>
      <span className="md-image-alt">{alt === "" ? t("image") : alt}</span>
      <span className="md-image-host" role="status">
        {imageWords(t, host ?? "", allowed, picture)}
      </span>
      {url !== null && allowed && picture?.kind !== "asked" && (
        <button type="button" className="btn sm" onClick={() => void fetchPicture(bridge, url)}>
          {picture?.kind === "failed" ? t("image-again") : t("image-load")}
        </button>
      )}
    </span>
  );
}

function imageWords(t: ReturnType<typeof useText>, host: string, allowed: boolean, picture: Picture | undefined): string {
  if (!allowed) return t("image-refused");
  switch (picture?.kind) {
    case "asked":
      return t("image-loading", { host });
    case "failed":
      return t("image-failed", { host, reason: picture.reason });
    default:
      return t("image-from", { host });
  }
}
