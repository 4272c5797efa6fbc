import babel from "@rolldown/plugin-babel";
import react, { reactCompilerPreset } from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// Nothing is inlined: the page's content security policy lets scripts, styles and fonts come from files only.
export default defineConfig({
  base: "/",
  plugins: [react(), babel({ presets: [reactCompilerPreset()] })],
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
