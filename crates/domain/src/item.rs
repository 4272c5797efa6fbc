//! Transcript entries.

use crate::text_enum::text_enum;

text_enum! {
    /// Who made an item. A typed fact, never guessed from the text.
    Author {
        /// A person.
        Human = "human",
        /// The language model.
        Model = "model",
        /// A tool's run.
        Tool = "tool",
        /// The gateway, on behalf of something that ended.
        Machine = "machine",
        /// The gateway, about itself.
        System = "system",
    }
}

text_enum! {
    /// What an item is.
    ItemKind {
        /// Words of a person or of the model.
        Message = "message",
        /// A person's words that joined a running turn.
        Steer = "steer",
        /// The model's visible reasoning.
        Reasoning = "reasoning",
        /// One tool call: a task card.
        ToolCall = "tool_call",
        /// A plan card.
        Plan = "plan",
        /// Reports of things that ended.
        MachineNote = "machine_note",
        /// A sub-agent's work.
        Delegation = "delegation",
        /// A question whether something may run.
        Approval = "approval",
        /// A question of the agent.
        Question = "question",
        /// Words of the gateway to the person.
        Notice = "notice",
        /// A continuation that nobody typed.
        AutoContinue = "auto_continue",
        /// Another model from here on.
        ModelSwitch = "model_switch",
        /// The end of a turn that gave no answer.
        FailedTurn = "failed_turn",
        /// Earlier items were summarised.
        Compaction = "compaction",
        /// For the model only.
        Hidden = "hidden",
    }
}
