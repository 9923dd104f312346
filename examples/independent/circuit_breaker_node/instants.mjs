// Instants are nanoseconds since 1970 as BigInt: a double cannot tell microseconds apart in the year 9999.
const SHAPE = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
const SECOND = 1_000_000_000n;
const LONGEST_S = 1e12;
const FIRST = parse('0001-01-01T00:00:00Z');
const LAST = parse('9999-12-31T23:59:59.999999999Z');

function dayStart(year, month, day) {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const real = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return real ? BigInt(date.getTime()) * 1_000_000n : null;
}

// Digits beyond the ninth round up, so that nothing ends before the moment that was written.
function fractionOf(digits = '') {
  const kept = BigInt(digits.slice(0, 9).padEnd(9, '0'));
  return /[1-9]/.test(digits.slice(9)) ? kept + 1n : kept;
}

export function parse(text) {
  const found = typeof text === 'string' ? SHAPE.exec(text) : null;
  if (!found) return null;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number);
  const [offsetHour, offsetMinute] = [Number(found[9] ?? 0), Number(found[10] ?? 0)];
  const start = dayStart(year, month, day);
  if (start === null || hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return null;
  const offset = (offsetHour * 60 + offsetMinute) * (found[8] === '-' ? -60 : 60);
  return start + BigInt(hour * 3600 + minute * 60 + second - offset) * SECOND + fractionOf(found[7]);
}

export function format(instant) {
  const bounded = instant < FIRST ? FIRST : instant > LAST ? LAST : instant;
  const fraction = ((bounded % SECOND) + SECOND) % SECOND;
  const whole = new Date(Number((bounded - fraction) / 1_000_000n)).toISOString().slice(0, 19);
  const digits = fraction.toString().padStart(9, '0').replace(/0+$/, '');
  return `${whole}${digits && '.'}${digits}Z`;
}

export function formatSecond(instant) {
  return `${format(instant).slice(0, 19)}Z`;
}

export function duration(seconds) {
  if (seconds >= LONGEST_S) return BigInt(LONGEST_S) * SECOND;
  const rounded = BigInt(Math.round((seconds % 1) * 1e9)) + BigInt(Math.trunc(seconds)) * SECOND;
  return rounded > 0n ? rounded : 1n;
}

export function inSeconds(length) {
  return Number(length) / 1e9;
}
