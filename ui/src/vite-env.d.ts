/// <reference types="vite/client" />
interface ImportMetaEnv {
  /** "1" builds the pages with the in-memory gateway, for tests and pictures. */
  readonly VITE_FAKE?: string;
}
