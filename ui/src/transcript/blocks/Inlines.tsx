// Runs of text within a block.
import type { Inline } from "../../bridge/wire";
import { RemoteImage } from "./RemoteImage";
import { SafeLink } from "./SafeLink";

/** The inlines of one block, in order. */
export function Inlines({ inlines }: { inlines: readonly Inline[] }) {
  return inlines.map((inline, index) => <InlineView key={index} inline={inline} />);
}

function InlineView({ inline }: { inline: Inline }) {
  switch (inline.type) {
    case "text":
      return inline.text;
    case "code":
      return <code className="md-code">{inline.text}</code>;
    case "emphasis":
      return (
        <em>
          <Inlines inlines={inline.inlines} />
        </em>
      );
    case "strong":
      return (
        <strong>
          <Inlines inlines={inline.inlines} />
        </strong>
      );
    case "strike":
      return (
        <s>
          <Inlines inlines={inline.inlines} />
        </s>
      );
    case "link":
      return (
        <SafeLink url={inline.url} host={inline.host} mismatch={inline.mismatch}>
          <Inlines inlines={inline.inlines} />
        </SafeLink>
      );
    case "image":
      return <RemoteImage url={inline.url} host={inline.host} alt={inline.alt} />;
    case "break":
      return <br />;
  }
}
