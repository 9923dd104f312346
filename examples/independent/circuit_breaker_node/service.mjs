// The five operations. Each looks at the state file anew; only what changes something takes the lock.
import * as machine from './machine.mjs';
import { duration, format, formatSecond, parse } from './instants.mjs';
import { appendRecovery, isLogged, logSize } from './recovery_log.mjs';
import { Store } from './store.mjs';
import { DEFAULTS, problemsOf } from './tunables.mjs';

const CALLS_KEPT = 10_000;
const STEP = duration(60);

export class Service {
  constructor(root, tunables) {
    this.store = new Store(root);
    this.tunables = problemsOf(tunables).length === 0 ? { ...DEFAULTS, ...tunables } : { ...DEFAULTS };
    this.admitted = new Map(); // call -> the epoch in which a CLOSED breaker let it through
    this.log = [];
  }

  warn(code, message) {
    this.log.push({ level: 'warning', code, message });
  }

  answer(result) {
    const log = this.log;
    this.log = [];
    return { ...result, log };
  }

  look() {
    this.store.look();
    if (this.store.seen.kind === 'unreadable') this.warn('state_unreadable', 'the state file cannot be read');
    if (this.store.seen.kind === 'damaged') this.warn('state_damaged', 'the state file is damaged');
    if (this.store.seen.kind === 'spoiled') this.warn('state_damaged', 'records of the state file are damaged');
    const owed = this.store.records().some(([, record]) => record.unlogged_recovery);
    if (owed || this.store.owesFile()) this.store.locked((mayWrite) => this.finish(mayWrite, parse(this.now)));
  }

  change(name, now, move) {
    return this.store.locked((mayWrite) => {
      const before = this.store.standing(name, now);
      const result = move(before);
      if (result.record !== before) this.store.put(name, this.noted(before, result.record, now));
      this.finish(mayWrite, now);
      return { ...result, record: this.store.standing(name, now) };
    });
  }

  // The recovery is owed to the log as long as the record says so, which outlives this process.
  noted(before, after, now) {
    if (before.state !== 'HALF_OPEN' || after.state !== 'CLOSED') return after;
    return { ...after, unlogged_recovery: { at: formatSecond(now), log_size: logSize(this.store.root) } };
  }

  finish(mayWrite, now) {
    let problem = this.store.save(mayWrite, now);
    const due = this.store.records().filter(([, record]) => record.unlogged_recovery);
    for (const [name, record] of due) this.settle(name, record);
    if (due.length > 0) problem = this.store.save(mayWrite, now) ?? problem;
    if (problem) this.warn('state_not_saved', problem);
  }

  settle(name, record) {
    const { unlogged_recovery: owed, ...rest } = record;
    const offset = Number.isInteger(owed.log_size) && owed.log_size > 0 ? owed.log_size : 0;
    const second = parse(owed.at) === null ? formatSecond(parse(record.last_state_change)) : owed.at;
    try {
      if (!isLogged(this.store.root, name, second, offset)) appendRecovery(this.store.root, name, second);
      this.store.put(name, rest);
    } catch (problem) {
      this.warn('recovery_not_logged', problem.message);
    }
  }

  acquire({ name, call }, now) {
    const ask = (record) => machine.acquire(record, call, now, this.tunables);
    const before = this.store.standing(name, now);
    let result = ask(before);
    if (result.record !== before || result.permitted && before.state !== 'CLOSED') result = this.change(name, now, ask);
    const state = result.record.state;
    if (result.permitted) {
      if (state === 'CLOSED') this.admit(name, call, machine.epochOf(result.record));
      return { permitted: true, state };
    }
    const error = typeof result.record.last_error === 'string' ? result.record.last_error : machine.NOTHING_KNOWN;
    const wait_s = machine.waitOf(result.record, now, this.tunables);
    return { permitted: false, state, held: 'refused', error, wait_s };
  }

  admit(name, call, epoch) {
    if (this.admitted.size >= CALLS_KEPT) this.admitted.delete(this.admitted.keys().next().value);
    this.admitted.set(JSON.stringify([name, call]), epoch);
  }

  record({ name, call, outcome, error }, now) {
    const key = JSON.stringify([name, call]);
    const ended = { call, outcome, error, admitted: this.admitted.get(key) };
    this.admitted.delete(key);
    const tell = (record) => ({ record: machine.record(record, ended, now, this.tunables) });
    const before = this.store.standing(name, now);
    const changes = tell(before).record !== before || outcome === 'failure';
    return { state: (changes ? this.change(name, now, tell).record : before).state };
  }

  inspect({ name }, now) {
    const record = this.store.standing(name, now);
    const { state, failure_count, success_count = 0, last_failure_time = null, last_state_change } = record;
    const until = state === 'OPEN' ? format(machine.cooldownEnd(record, now, this.tunables)) : null;
    const wait_s = machine.waitOf(record, now, this.tunables);
    return { state, failure_count, success_count, last_failure_time, last_state_change, cooldown_until: until, wait_s };
  }

  // Points of full capacity, rounded up.
  share(now) {
    const shares = this.store.records().map(([, record]) => {
      const since = record.state === 'CLOSED' ? parse(record.recovered_at) : null;
      if (since === null) return 100n;
      const steps = now > since ? (now - since) / STEP : 0n;
      return steps >= 2n ? 100n : 50n + 25n * steps;
    });
    return shares.reduce((least, each) => (each < least ? each : least), 100n);
  }

  capacity({ agents }, now) {
    const reduced = this.store.isUncertain() || this.store.records().some(([, record]) => machine.reducesLoad(record));
    const wanted = Math.max(agents, 0);
    if (reduced) return { agents: Math.min(2, wanted), background: false, queue_non_urgent: true };
    const ramped = Math.ceil((wanted * Number(this.share(now))) / 100);
    return { agents: ramped, background: true, queue_non_urgent: false };
  }

  configure({ tunables }) {
    const problems = problemsOf(tunables);
    if (problems.length === 0) this.tunables = { ...this.tunables, ...tunables };
    else this.warn('tunables_refused', problems.join('; '));
    return { accepted: problems.length === 0, tunables: this.tunables };
  }

  run(operation, params) {
    this.now = params.now;
    this.log = [];
    this.look();
    return this.answer(this[operation](params, parse(params.now)));
  }
}
