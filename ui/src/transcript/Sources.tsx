// Links that back a tool's result.
import type { Source } from "../bridge/wire";
import { SafeLink } from "./blocks/SafeLink";

/** The links of one card. */
export function Sources({ sources }: { sources: readonly Source[] }) {
  return (
    <div className="task-sources">
      {sources.map((source, index) => (
        <span key={index}>
          <SafeLink url={source.url} host="" mismatch={false}>
            {source.text}
          </SafeLink>
        </span>
      ))}
    </div>
  );
}
