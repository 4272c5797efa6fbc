// A fenced code block: its language at the left, Copy at the right.
import { useText } from "../../l10n/l10n";
import { CopyButton } from "../../shared/CopyButton";

/** Code of an answer; it scrolls sideways in its own box and never wraps. */
export function CodeBlock({ language, text }: { language: string | null; text: string }) {
  const t = useText();
  const name = language === null || language === "" ? t("code-plain") : language;
  return (
    <figure className="md-codeblock" aria-label={t("code-label", { name })}>
      <figcaption className="md-codeblock-head">
        <span className="md-codeblock-name">{name}</span>
        <CopyButton text={text} />
      </figcaption>
      <pre className="md-codeblock-body" tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
