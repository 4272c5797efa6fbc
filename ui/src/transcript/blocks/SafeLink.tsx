// A link that can only be opened in the system's browser. It has no href, so no click, middle click, key or drag can
// make the window itself go anywhere.
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { useBridge } from "../../feed/hooks";
import { useText } from "../../l10n/l10n";
import { openable } from "./url";

interface SafeLinkProps {
  url: string;
  host: string;
  mismatch: boolean;
  children: ReactNode;
}

/** A link in prose. One whose words name another place than its target asks before it opens. */
export function SafeLink({ url, host, mismatch, children }: SafeLinkProps) {
  const bridge = useBridge();
  const [asking, setAsking] = useState(false);
  const target = openable(url);
  if (target === null) return <span className="md-inert">{children}</span>;

  const doubtful = mismatch || target.disguised;
  const follow = () => {
    if (doubtful) setAsking(true);
    else bridge.openLink(target.url);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    follow();
  };
  return (
    <>
      <a
        role="link"
        tabIndex={0}
        className="md-link"
        title={target.url}
        draggable={false}
        onClick={follow}
        onKeyDown={onKeyDown}
        onAuxClick={(event) => event.preventDefault()}
        onDragStart={(event) => event.preventDefault()}
      >
        {children}
      </a>
      {doubtful && <span className="md-host"> ({target.host || host})</span>}
      {asking && <Confirm url={target.url} onOpen={() => bridge.openLink(target.url)} onDone={() => setAsking(false)} />}
    </>
  );
}

function Confirm({ url, onOpen, onDone }: { url: string; onOpen: () => void; onDone: () => void }) {
  const t = useText();
  const open = () => {
    onOpen();
    onDone();
  };
  const copy = () => {
    void navigator.clipboard.writeText(url).then(onDone);
  };
  return (
    <span className="md-confirm" role="group" aria-label={t("link-goes-to", { url })}>
      <span className="md-confirm-text">{t("link-goes-to", { url })}</span>
      <button type="button" className="btn sm" onClick={open}>
        {t("link-open")}
      </button>
      <button type="button" className="btn sm ghost" onClick={copy}>
        {t("link-copy")}
      </button>
    </span>
  );
}
