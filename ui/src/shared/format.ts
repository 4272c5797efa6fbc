// Times, durations and sizes, in the words of the window. A no-break space stands before every unit.

const NBSP = "\u00a0";
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "0.2 s", "4.2 s", "48 s", "3 m 12 s", "1 h 12 m", "2 d 4 h". `exact` keeps tenths below ten seconds. */
export function duration(ms: number, { exact = false }: { exact?: boolean } = {}): string {
  const clean = Math.max(0, ms);
  if (exact && clean < 9_950) return `${(clean / SECOND).toFixed(1)}${NBSP}s`;
  if (clean < MINUTE) return `${Math.floor(clean / SECOND)}${NBSP}s`;
  if (clean < HOUR) return pair(Math.floor(clean / MINUTE), "m", Math.floor((clean % MINUTE) / SECOND), "s");
  if (clean < DAY) return pair(Math.floor(clean / HOUR), "h", Math.floor((clean % HOUR) / MINUTE), "m");
  return pair(Math.floor(clean / DAY), "d", Math.floor((clean % DAY) / HOUR), "h");
}

/** One unit only, for narrow columns: "48 s", "5 m", "1 h 12 m". */
export function age(ms: number): string {
  const clean = Math.max(0, ms);
  if (clean >= MINUTE && clean < HOUR) return `${Math.floor(clean / MINUTE)}${NBSP}m`;
  return duration(clean);
}

/** "0 B", "418 KB", "1.2 MB"; a kilobyte is 1,024 bytes. */
export function size(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let value = Math.max(0, bytes);
  let unit = 0;
  while (value >= 1023.5 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit >= 2 && value < 99.95 ? 1 : 0;
  return `${value.toFixed(digits)}${NBSP}${units[unit]}`;
}

const LIST = new Intl.ListFormat("en", { type: "conjunction" });

/** "48213", "48213 and 48219", "1, 2, and 3". */
export function listed(all: readonly (number | string)[]): string {
  return LIST.format(all.map(String));
}

/** "14:01". */
export function clock(atMs: number): string {
  const at = new Date(atMs);
  return `${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** "14:01" today, "Fri" within a week, "3 May" before that. */
export function when(atMs: number, nowMs: number): string {
  const at = new Date(atMs);
  const midnight = new Date(nowMs).setHours(0, 0, 0, 0);
  if (atMs >= midnight) return clock(atMs);
  if (atMs >= midnight - 6 * DAY) return at.toLocaleDateString("en-GB", { weekday: "short" });
  return at.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}

/** The full date and time, for hovering. */
export function fullTime(atMs: number): string {
  return new Date(atMs).toLocaleString("en-GB", { dateStyle: "full", timeStyle: "medium" });
}

/** "1,204,311". */
export function count(value: number): string {
  return value.toLocaleString("en-GB");
}

function pair(big: number, bigUnit: string, small: number, smallUnit: string): string {
  const head = `${big}${NBSP}${bigUnit}`;
  return small === 0 ? head : `${head} ${small}${NBSP}${smallUnit}`;
}

function two(value: number): string {
  return value.toString().padStart(2, "0");
}
