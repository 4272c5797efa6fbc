import babel from "@rolldown/plugin-babel";
import react, { reactCompilerPreset } from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** The fonts that the first words are drawn in; the other alphabets come when they are needed. */
const FIRST_FONTS = /(?:inter|jetbrains-mono)-latin-wght-normal-[\w-]+\.woff2$/;

/** Asks for the first fonts together with the page, so that no words are drawn in another one before. */
function preloadFonts(): Plugin {
  return {
    name: "preload-fonts",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (_html, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((file) => FIRST_FONTS.test(file))
          .map((file) => ({
            tag: "link",
            attrs: { rel: "preload", as: "font", type: "font/woff2", href: `/${file}`, crossorigin: true },
            injectTo: "head",
          })),
    },
  };
}

const ASSIGNED = /\b([\w$]+)\.toString\s*=(?!=)/gu;
const OWN = 'Object.defineProperty($1,"toString",{writable:true,enumerable:true,configurable:true}).toString=';

/** The desktop freezes `Object.prototype`. What it holds cannot be assigned to other objects then, only defined: the
 *  terminal's library assigns one `toString`, and would not load. */
function frozenPrototype(): Plugin {
  return {
    name: "frozen-prototype",
    apply: "build",
    transform: {
      filter: { id: /@xterm/u, code: ASSIGNED },
      handler: (code) => ({ code: code.replaceAll(ASSIGNED, OWN), map: null }),
    },
  };
}

// Nothing is inlined: the page's content security policy lets scripts, styles and fonts come from files only.
export default defineConfig({
  base: "/",
  plugins: [react(), babel({ presets: [reactCompilerPreset()] }), preloadFonts(), frozenPrototype()],
  clearScreen: false,
  server: { host: "127.0.0.1", port: 5317, strictPort: true },
  preview: { host: "127.0.0.1" },
  build: {
    target: ["chrome120", "safari17"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
  },
});
