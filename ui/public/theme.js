// Sets the theme before the first paint, so a dark desktop never sees a white flash, and follows the desktop after.
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const contrast = matchMedia("(prefers-contrast: more)");
  const apply = () => {
    const shade = dark.matches ? "dark" : "light";
    document.documentElement.dataset.theme = contrast.matches ? `hc-${shade}` : shade;
  };
  dark.addEventListener("change", apply);
  contrast.addEventListener("change", apply);
  apply();
})();
