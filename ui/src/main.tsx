import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./styles/tokens.css";
import "./styles/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { chooseBridge } from "./bridge/choose";
import { StoreContext } from "./feed/hooks";
import { Store } from "./feed/store";
import { Texts } from "./l10n/l10n";
import { Frame } from "./views/Frame";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no root");

const store = new Store(await chooseBridge());
store.start();

createRoot(root).render(
  <StrictMode>
    <Texts>
      <StoreContext value={store}>
        <Frame />
      </StoreContext>
    </Texts>
  </StrictMode>,
);
