export const DEFAULTS = {
  threshold: 3, window_s: 60, cooldown_s: 300, half_open_interval_s: 10, recovery_threshold: 3,
};
const COUNTS = ['threshold', 'recovery_threshold'];

export function problemsOf(tunables) {
  if (tunables === undefined) return [];
  if (typeof tunables !== 'object' || tunables === null || Array.isArray(tunables)) return ['tunables are no object'];
  return Object.entries(tunables).flatMap(([name, value]) => {
    if (!Object.hasOwn(DEFAULTS, name)) return [`there is no ${name}`];
    const fits = COUNTS.includes(name) ? Number.isSafeInteger(value) : Number.isFinite(value);
    return fits && value > 0 ? [] : [`${name} is not of the right kind, or not greater than zero`];
  });
}
