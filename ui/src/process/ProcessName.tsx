// A command in a row. Where there is no room for the whole of it, its middle goes: commands that begin alike differ at
// their ends.

/** A shorter one fits. */
const LONG = 20;
const END = 8;

/** The command on one line; the whole of it is in its title. */
export function ProcessName({ command }: { command: string }) {
  const letters = Array.from(command.replaceAll(/\s+/gu, " "));
  if (letters.length <= LONG) {
    return (
      <span className="process-name" title={command}>
        {letters.join("")}
      </span>
    );
  }
  return (
    <span className="process-name process-name-long" title={command}>
      <span>{letters.slice(0, -END).join("")}</span>
      <span>{letters.slice(-END).join("")}</span>
    </span>
  );
}
