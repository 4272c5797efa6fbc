// How the page looks, before the first paint and after: the desktop's wishes, unless the person set their own. The last
// choice is kept in this browser, so that the first frame is right; what is set in the gateway wins when it arrives, by
// an event from the window (src/look).
(() => {
  const KEPT = "gatehouse.look";
  const queries = {
    dark: matchMedia("(prefers-color-scheme: dark)"),
    contrast: matchMedia("(prefers-contrast: more)"),
    still: matchMedia("(prefers-reduced-motion: reduce)"),
  };
  const root = document.documentElement.dataset;

  const kept = () => {
    try {
      return JSON.parse(localStorage.getItem(KEPT)) ?? {};
    } catch {
      return {};
    }
  };
  let look = kept();

  const apply = () => {
    const dark = look.theme === "dark" || (look.theme !== "light" && queries.dark.matches);
    const high = look.contrast === "high" || (look.contrast !== "normal" && queries.contrast.matches);
    const still = look.motion === "reduced" || (look.motion !== "normal" && queries.still.matches);
    const shade = dark ? "dark" : "light";
    root.theme = high ? `hc-${shade}` : shade;
    root.motion = still ? "reduced" : "normal";
    root.density = ["verbose", "summary"].includes(look.density) ? look.density : "normal";
  };

  for (const query of Object.values(queries)) query.addEventListener("change", apply);
  addEventListener("gatehouse:look", (event) => {
    look = event.detail;
    try {
      localStorage.setItem(KEPT, JSON.stringify(look));
    } catch {
      // A browser that keeps nothing shows the desktop's look first, and this one after.
    }
    apply();
  });
  apply();
})();
