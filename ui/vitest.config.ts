import babel from "@rolldown/plugin-babel";
import react, { reactCompilerPreset } from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// Components are tested as they ship: through the compiler.
export default defineConfig({
  plugins: [react(), babel({ presets: [reactCompilerPreset()] })],
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}", "tests/unit/**/*.test.{ts,tsx}"],
    restoreMocks: true,
    setupFiles: "src/testing/patience.ts",
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
