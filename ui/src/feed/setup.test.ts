// @vitest-environment node
import { expect, it } from "vitest";
import type { Bridge, CommandName } from "../bridge/bridge";
import type { Settings } from "../bridge/wire";
import { Setup } from "./setup";

const named = (model: string) => ({ model }) as Settings;

/** A gateway whose settings are answered when the test says so. */
function make() {
  const asked: ((settings: Settings) => void)[] = [];
  const bridge = {
    call(command: CommandName) {
      if (command === "get_settings") return new Promise((resolve) => asked.push(resolve));
      return Promise.resolve(command === "list_notices" ? { notices: [], muted: [{ sessionId: "s", title: "Orders" }] } : {});
    },
  } as unknown as Bridge;
  return { asked, setup: new Setup(bridge, () => undefined) };
}

it("keeps what a command answered while older settings were being read, and looks again", async () => {
  const { asked, setup } = make();
  const read = setup.read();
  setup.take(named("wished"));
  asked[0]?.(named("before"));
  await read;
  expect(setup.state.settings).toEqual(named("wished"));
  // The rest of what was read is as new as ever.
  expect(setup.state.muted).toHaveLength(1);
  expect(asked).toHaveLength(2);
  const again = setup.read();
  asked[1]?.(named("at last"));
  await again;
  expect(setup.state.settings).toEqual(named("at last"));
});

it("looks once when nothing came between", async () => {
  const { asked, setup } = make();
  setup.take(named("before"));
  const read = setup.read();
  asked[0]?.(named("now"));
  await read;
  expect(setup.state.settings).toEqual(named("now"));
  await Promise.resolve();
  expect(asked).toHaveLength(1);
});
