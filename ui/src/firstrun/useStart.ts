// What is chosen on the first run, and carrying it out: provider, model, session.
import { useEffect, useState } from "react";
import { asCallError } from "../bridge/bridge";
import type { LocalServer, PutProvider } from "../bridge/wire";
import { useBridge, useSelection, useSetup, useStore } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { useNewSession } from "../session/newSession";
import { toPut, toTest, useDraft, type DraftFields } from "../settings/draft";
import { chatModels } from "../settings/presets";
import { asFileProvider, useModelFile, type ModelFile } from "../settings/modelFile";
import { useProbe, type Probe } from "../settings/probe";
import { asProvider, type Servers } from "../settings/servers";

/** A choice, by its card. */
export type Choice = { readonly kind: "starter" } | { readonly kind: "file" } | { readonly kind: "server"; readonly server: LocalServer } | { readonly kind: "key" } | { readonly kind: "none" };

/** The state of the page. */
export interface Start {
  /** Nothing until it is known which servers there are. */
  readonly choice: Choice | null;
  choose(choice: Choice): void;
  /** What answers already, because nothing else is set up. */
  readonly starter: string | null;
  /** The path of a model's file. */
  readonly file: ModelFile;
  /** The fields of the provider with a key, and its test. */
  readonly fields: DraftFields;
  readonly probe: Probe;
  test(): Promise<readonly string[] | null>;
  /** The fields are others now: what was asked is about something else. */
  forget(): void;
  /** Models of the provider with a key; nothing before it was asked. */
  readonly keyModels: readonly string[] | null;
  readonly model: string;
  chooseModel(model: string): void;
  readonly busy: boolean;
  readonly error: string | null;
  begin(): void;
}

/** See the file's head. `onDone` hears when the session is open. */
export function useStart(found: Servers, onDone: () => void): Start {
  const t = useText();
  const bridge = useBridge();
  const store = useStore();
  const fields = useDraft(null);
  const probe = useProbe();
  const opening = useOpening(onDone);
  const [chosen, setChosen] = useState<Choice | null>(null);
  const [wanted, setWanted] = useState("");
  const [keyModels, setKeyModels] = useState<readonly string[] | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const [working, setWorking] = useState(false);

  const file = useModelFile("", () => setWrong(null));
  const { settings } = useSetup();
  const builtIn = settings?.providers.find((provider) => provider.builtIn === true);
  const starter = builtIn === undefined ? null : `${builtIn.name}/${builtIn.models[0] ?? ""}`;

  // It may go while it is chosen.
  const choice = chosen?.kind === "starter" && starter === null ? firstChoice(found, false) : (chosen ?? firstChoice(found, starter !== null));
  const models = choice?.kind === "server" ? chatModels(choice.server.models) : (keyModels ?? []);
  const model = models.length === 0 || models.includes(wanted) ? wanted.trim() : (models[0] ?? "");

  const test = async (): Promise<readonly string[] | null> => {
    const all = await probe.run(toTest(fields));
    const chat = all === null ? null : chatModels(all);
    setKeyModels(chat);
    return chat;
  };
  const setUp = async (provider: PutProvider, name: string): Promise<void> => {
    if (name === "") {
      setWrong(t("first-model-missing"));
      return;
    }
    try {
      await bridge.call("put_provider", provider);
      store.setup.take(await bridge.call("set_setting", { key: "agent.model", value: `${provider.name}/${name}` }));
      opening.open();
    } catch (reason) {
      setWrong(asCallError(reason).message);
    }
  };
  const takeStarter = async (): Promise<void> => {
    try {
      // It answers already, but where the file names a model that is nowhere.
      if (starter !== null && settings?.model !== starter) store.setup.take(await bridge.call("set_setting", { key: "agent.model", value: starter }));
      opening.open();
    } catch (reason) {
      setWrong(asCallError(reason).message);
    }
  };
  const carryOut = async (what: Choice): Promise<void> => {
    switch (what.kind) {
      case "none":
        opening.open();
        return;
      case "starter":
        await takeStarter();
        return;
      case "file":
        if (file.path.trim() === "") setWrong(t("model-file-missing"));
        else await setUp(asFileProvider(file.path, null, []), file.path.trim());
        return;
      case "server":
        await setUp(asProvider(what.server, []), model);
        return;
      case "key": {
        // Whoever did not test does it with this press; among several models the person chooses.
        const tested = keyModels ?? (await test());
        if (tested === null || (keyModels === null && tested.length !== 1)) return;
        await setUp(toPut(fields), keyModels === null ? (tested[0] ?? "") : model);
      }
    }
  };
  return {
    choice,
    choose: (next) => {
      setChosen(next);
      setWrong(null);
    },
    starter,
    file,
    fields,
    probe,
    test,
    forget: () => {
      probe.forget();
      setKeyModels(null);
      setWrong(null);
    },
    keyModels,
    model,
    chooseModel: setWanted,
    busy: working,
    error: wrong ?? opening.error,
    begin: () => {
      if (choice === null || working) return;
      setWorking(true);
      setWrong(null);
      void carryOut(choice).finally(() => setWorking(false));
    },
  };
}

/** A server that runs here already needs nothing else; then the model that comes along; then a key is what it takes. */
function firstChoice({ servers }: Servers, hasStarter: boolean): Choice | null {
  if (servers === null) return null;
  const server = servers.find(({ models }) => chatModels(models).length > 0);
  if (server !== undefined) return { kind: "server", server };
  return { kind: hasStarter ? "starter" : "key" };
}

/** Opens a session; done when the window shows it. */
function useOpening(onDone: () => void): { open: () => void; error: string | null } {
  const { create, error } = useNewSession();
  const { sessionId } = useSelection();
  const [from, setFrom] = useState<{ readonly sessionId: string | null } | null>(null);
  useEffect(() => {
    if (from !== null && sessionId !== from.sessionId) onDone();
  }, [from, sessionId, onDone]);
  return {
    open: () => {
      setFrom({ sessionId });
      create();
    },
    error: error === null ? null : error.message,
  };
}
