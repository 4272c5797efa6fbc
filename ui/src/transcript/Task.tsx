// A tool call's card, with what belongs to it: the answer to its question, the links of its result.
import { useVerdict } from "../approval/Answered";
import { useQuestion } from "../approval/pairs";
import type { Item } from "../bridge/wire";
import { TaskCard } from "../task/TaskCard";
import { useOpenProcess } from "./actions";
import { Sources } from "./Sources";

/** The card of an item. */
export function Task({ item }: { item: Item }) {
  const openProcess = useOpenProcess();
  const verdict = useVerdict(useQuestion(item));
  if (item.card == null) return null;
  const sources = item.card.sources.length > 0 ? <Sources sources={item.card.sources} /> : undefined;
  return <TaskCard item={item} card={item.card} verdict={verdict} sources={sources} onOpenProcess={openProcess} />;
}
