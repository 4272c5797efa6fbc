// What a process listens on, as an address of this computer.
import type { Bridge } from "../bridge/bridge";

/** Opens what answers on a port, in the person's browser. */
export function openPort(bridge: Bridge, port: number): Promise<void> {
  return bridge.openLink(`http://127.0.0.1:${port}`);
}
