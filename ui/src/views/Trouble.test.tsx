// @vitest-environment jsdom
import { cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { StorageTrouble } from "../bridge/wire";
import { apply } from "../feed/reducer";
import { makeStage, type Stage } from "../testing/stage";
import { Trouble } from "./Trouble";

let stage: Stage;
const locked: StorageTrouble = { code: "storage_locked", message: "The data file is held by cp (pid 7).", passing: true };
const batch = { epoch: "e", rev: 1, reset: false, changes: [], deltas: [] };

beforeEach(() => {
  stage = makeStage({});
});
afterEach(cleanup);

it("says what is wrong with the data for as long as the feed tells it", () => {
  const told = (storage?: StorageTrouble) => stage.feed(apply(stage.store.state, storage === undefined ? batch : { ...batch, storage }));
  stage.show(<Trouble />);
  expect(screen.queryByRole("alert")).toBeNull();
  told(locked);
  expect(screen.getByRole("alert").textContent).toBe(locked.message);
  expect(screen.queryByRole("button")).toBeNull();
  told();
  expect(screen.queryByRole("alert")).toBeNull();
});
