// The state machine of one breaker. A record is never changed in place: each move returns a new one.
import { duration, format, inSeconds, parse } from './instants.mjs';

const STATES = ['CLOSED', 'OPEN', 'HALF_OPEN'];
const COUNTS = ['failure_count', 'success_count'];
const FAILURES_KEPT = 100;
const PROBES_KEPT = 50;
const NO_MESSAGE = 'the operation failed and gave no message';
export const NOTHING_KNOWN = 'the circuit is not closed, and its last error is not known';

const isCount = (value) => Number.isInteger(value) && value >= 0;
const isTime = (value) => parse(value) !== null;
const isTimeOrNone = (value) => value === undefined || value === null || isTime(value);
const listOf = (value, fits) => (Array.isArray(value) ? value.filter(fits) : []);

export function isRecord(value) {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) &&
    STATES.includes(value.state) && isCount(value.failure_count) &&
    (value.success_count === undefined || isCount(value.success_count)) && isTime(value.last_state_change) &&
    [value.last_failure_time, value.cooldown_until, value.failure_window_start].every(isTimeOrNone)
  );
}

// Larger counts lose their last digits here, and JSON.stringify would write them with an exponent, which is no integer to all.
export function withExactCounts(record) {
  const bounded = Object.entries(record).filter(([name, value]) => COUNTS.includes(name) && value > Number.MAX_SAFE_INTEGER);
  return { ...record, ...Object.fromEntries(bounded.map(([name]) => [name, Number.MAX_SAFE_INTEGER])) };
}

function fresh(state, now) {
  return {
    state, failure_count: 0, success_count: 0, last_failure_time: null,
    last_state_change: format(now), cooldown_until: null, failure_window_start: null,
  };
}

export const unused = (now) => fresh('CLOSED', now);

// What stands for a breaker of which nothing can be known: it may have been OPEN, so it has to prove itself.
export const doubtful = (now) => ({ ...fresh('HALF_OPEN', now), in_doubt: true });

// One in doubt that nobody has used since may be a name that nobody has: it must not hold everybody back for ever.
export const reducesLoad = (record) => record.state !== 'CLOSED' && record.in_doubt !== true;

export const epochOf = (record) => (isCount(record.transitions) ? record.transitions : 0);
export const revisionOf = (record) => (isCount(record.revision) ? record.revision : null);

function moved(record, state, stamp, changes) {
  return { ...record, state, last_state_change: format(stamp), transitions: epochOf(record) + 1, ...changes };
}

// A record that another program wrote has no list of failures, or an outdated one; its counts then stand for them.
function failuresOf(record) {
  const own = listOf(record.recent_failures, isTime);
  if (own.length > 0 && own.at(-1) === record.last_failure_time) return own;
  const last = record.last_failure_time;
  if (record.failure_count === 0 || !isTime(last)) return [];
  const count = Math.min(record.failure_count, FAILURES_KEPT);
  return [record.failure_window_start ?? last, ...Array(count - 1).fill(last)];
}

function cooldownOf(record, tunables) {
  const changed = parse(record.last_state_change);
  const until = parse(record.cooldown_until) ?? changed + duration(tunables.cooldown_s);
  const own = typeof record.cooldown_s === 'number' && record.cooldown_s > 0 && Number.isFinite(record.cooldown_s);
  const configured = duration(tunables.cooldown_s);
  const spanned = until - changed > configured ? until - changed : configured;
  return { until, length: own ? duration(record.cooldown_s) : spanned };
}

// A cooldown cannot be longer than it was when it began: more is left only when the clock was set back.
export function cooldownEnd(record, now, tunables) {
  const { until, length } = cooldownOf(record, tunables);
  return until - now > length ? now + length : until;
}

export function waitOf(record, now, tunables) {
  if (record.state !== 'OPEN') return null;
  const left = cooldownEnd(record, now, tunables) - now;
  return left > 0n ? inSeconds(left) : 0;
}

function tripped(record, now, tunables, changes) {
  const cooldown = { cooldown_until: format(now + duration(tunables.cooldown_s)), cooldown_s: tunables.cooldown_s };
  const nothing = { success_count: 0, probes: [], last_probe_at: null };
  return moved(record, 'OPEN', now, { last_failure_time: format(now), ...cooldown, ...nothing, ...changes });
}

function closed(record, now) {
  const { last_error, recent_failures, probes, last_probe_at, cooldown_s, ...rest } = record;
  const cleared = {
    failure_count: 0, success_count: 0, last_failure_time: null, cooldown_until: null, failure_window_start: null,
  };
  return moved(rest, 'CLOSED', now, { ...cleared, recovered_at: format(now) });
}

function halfOpened(record, now, tunables) {
  const counts = { failure_count: 0, success_count: 0, cooldown_until: null, failure_window_start: null };
  const end = cooldownEnd(record, now, tunables);
  return moved(record, 'HALF_OPEN', end, { ...counts, recent_failures: [], probes: [], last_probe_at: null });
}

function probed(record, call, now, tunables) {
  const last = parse(record.last_probe_at);
  if (last !== null && last > now) {
    return { record: { ...record, last_probe_at: format(now) }, permitted: false };
  }
  if (last !== null && now - last < duration(tunables.half_open_interval_s)) return { record, permitted: false };
  const { in_doubt, ...rest } = record;
  const probes = [...listOf(record.probes, (each) => typeof each === 'string'), call].slice(-PROBES_KEPT);
  return { record: { ...rest, probes, last_probe_at: format(now) }, permitted: true };
}

export function acquire(record, call, now, tunables) {
  if (record.state === 'CLOSED') return { record, permitted: true };
  if (record.state === 'HALF_OPEN') return probed(record, call, now, tunables);
  const end = cooldownEnd(record, now, tunables);
  if (now >= end) return probed(halfOpened(record, now, tunables), call, now, tunables);
  const cut = end !== cooldownOf(record, tunables).until;
  return { record: cut ? { ...record, cooldown_until: format(end) } : record, permitted: false };
}

// The clock may have gone back, so a failure before this one can bear a later time. Any span counts that holds this one.
function holdsThreshold(failures, now, tunables) {
  const sorted = failures.map(parse).sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  const reach = tunables.threshold - 1;
  return sorted.some((start, index) => {
    const end = sorted[index + reach];
    return end !== undefined && start <= now && now <= end && end - start <= duration(tunables.window_s);
  });
}

function failedClosed(record, error, now, tunables) {
  const window = duration(tunables.window_s);
  const kept = [...failuresOf(record), format(now)].slice(-Math.max(tunables.threshold, FAILURES_KEPT));
  const counted = kept.filter((each) => now - parse(each) <= window && parse(each) - now <= window);
  const first = counted.reduce((least, each) => (parse(each) < parse(least) ? each : least));
  const changes = {
    failure_count: counted.length, failure_window_start: first, recent_failures: kept, last_error: error ?? NO_MESSAGE,
  };
  if (holdsThreshold(counted, now, tunables)) return tripped(record, now, tunables, changes);
  return { ...record, last_failure_time: format(now), ...changes };
}

function endedProbe(record, call, outcome, error, now, tunables) {
  const probes = listOf(record.probes, (each) => typeof each === 'string');
  if (!probes.includes(call)) return record;
  if (outcome === 'failure') {
    const counts = { failure_count: 1, failure_window_start: format(now), recent_failures: [format(now)] };
    return tripped(record, now, tunables, { ...counts, last_error: error ?? NO_MESSAGE });
  }
  const success_count = (record.success_count ?? 0) + 1;
  if (success_count >= tunables.recovery_threshold) return closed(record, now);
  return { ...record, success_count, probes: probes.filter((each) => each !== call) };
}

// What ends in a state that it was not admitted in changes nothing. ``admitted`` is the epoch, if it is known.
export function record(standing, { call, outcome, error, admitted }, now, tunables) {
  if (standing.state === 'HALF_OPEN') return endedProbe(standing, call, outcome, error, now, tunables);
  const late = admitted !== undefined && admitted !== epochOf(standing);
  if (standing.state === 'OPEN' || late || outcome === 'success') return standing;
  return failedClosed(standing, error, now, tunables);
}
