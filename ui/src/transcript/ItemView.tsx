// One transcript entry. Who made it decides its shape, before anything it says about itself: a machine's words can
// never stand in a person's bubble.
import { memo } from "react";
import { ApprovalCard } from "../approval/ApprovalCard";
import type { Item } from "../bridge/wire";
import { useItems } from "../feed/hooks";
import { attemptsOf } from "../note/fold";
import { MachineNote, RepeatedNote } from "../note/MachineNote";
import { usePlanWith } from "../process/plan";
import { Delegation, HandedTask } from "./Delegation";
import { FailedTurn } from "./FailedTurn";
import { HumanBubble } from "./HumanBubble";
import { ModelText } from "./ModelText";
import { PlanCard } from "./PlanCard";
import { Reasoning } from "./Reasoning";
import { SystemLine } from "./SystemLine";
import { Task } from "./Task";
import { TurnSteps } from "./TurnSteps";
import { useNoteActions } from "./actions";
import { useHasRow } from "./rows";
import { useStepsWith } from "./turnSteps";
import "./items.css";

/** Draws one entry; nothing for one that is hidden, or told by another. */
export const ItemView = memo(function ItemView({ item }: { item: Item }) {
  return useHasRow(item) ? <Entry item={item} /> : null;
});

function Entry({ item }: { item: Item }) {
  switch (item.author) {
    case "human":
      return <FromHuman item={item} />;
    case "model":
      return <FromModel item={item} />;
    case "tool":
      return <FromTool item={item} />;
    case "machine":
      return <FromMachine item={item} />;
    default:
      return <FromSystem item={item} />;
  }
}

function FromHuman({ item }: { item: Item }) {
  if (item.card == null) {
    return (
      <div className="item item-human">
        <HumanBubble item={item} />
      </div>
    );
  }
  // A `!command`: the person's words at the right, what became of them below at the left.
  const said = item.text ?? item.card.title;
  return (
    <div className="item item-human">
      <HumanBubble item={item} command={said.replace(/^\s*!/, "")} />
      <Task item={item} />
    </div>
  );
}

function FromModel({ item }: { item: Item }) {
  if (item.kind === "plan") return <PlanStep item={item} />;
  if (item.kind === "delegation") {
    return (
      <div className="item item-plan">
        <HandedTask item={item} />
      </div>
    );
  }
  if (item.card != null) return <FromTool item={item} />;
  if (item.kind === "reasoning") return <Step item={item} />;
  return (
    <div className="item item-model">
      <ModelText item={item} />
    </div>
  );
}

function PlanStep({ item }: { item: Item }) {
  const plan = usePlanWith(item);
  return plan === null ? null : (
    <div className="item item-plan">
      <PlanCard plan={plan} />
    </div>
  );
}

function FromTool({ item }: { item: Item }) {
  if (item.kind === "approval") return <Approval item={item} />;
  if (item.card == null) return <FromSystem item={item} />;
  return <Step item={item} />;
}

/** A step stands for itself, or for its whole turn. */
function Step({ item }: { item: Item }) {
  const steps = useStepsWith(item);
  return (
    <div className="item item-task">
      {steps !== null ? <TurnSteps steps={steps} /> : item.card == null ? <Reasoning item={item} /> : <Task item={item} />}
    </div>
  );
}

function FromMachine({ item }: { item: Item }) {
  if (item.kind === "approval") return <Approval item={item} />;
  if (item.kind === "delegation") {
    return (
      <div className="item item-plan">
        <Delegation item={item} />
      </div>
    );
  }
  return <Note item={item} />;
}

/** A note stands alone, or holds its earlier attempts. */
function Note({ item }: { item: Item }) {
  const actions = useNoteActions(item.sessionId);
  const attempts = attemptsOf(useItems(item.sessionId), item);
  return (
    <div className="item item-note">
      {attempts.length > 1 ? <RepeatedNote items={attempts} actions={actions} /> : <MachineNote item={item} actions={actions} />}
    </div>
  );
}

function FromSystem({ item }: { item: Item }) {
  if (item.kind === "approval") return <Approval item={item} />;
  if (item.kind === "failed_turn") {
    return (
      <div className="item item-failed">
        <FailedTurn item={item} />
      </div>
    );
  }
  return (
    <div className="item item-system">
      <SystemLine text={item.text ?? ""} />
    </div>
  );
}

function Approval({ item }: { item: Item }) {
  return (
    <div className={item.state === "pending" ? "item item-approval" : "item item-task"}>
      <ApprovalCard item={item} />
    </div>
  );
}
