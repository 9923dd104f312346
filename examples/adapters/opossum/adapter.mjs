// opossum behind the protocol. A call is a promise, which the guarded action leaves pending until record.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import FakeTimers from '@sinonjs/fake-timers';
import CircuitBreaker from 'opossum';

const plain = { initialize: JSON.parse(readFileSync('about.json', 'utf8')), reset: {}, open: {}, shutdown: {} };
const DEFAULTS = { threshold: 3, window_s: 60, cooldown_s: 300 };
const DAY_MS = 86_400_000; // over more than that, a timer fires once, as it would on a machine that was asleep
const toFake = ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'];
let breakers, calls, tunables, clock;

function made() {
  const guarded = (key) => new Promise((resolve, reject) => calls.set(key, { resolve, reject }));
  return new CircuitBreaker(guarded, {
    timeout: false,
    resetTimeout: tunables.cooldown_s * 1000,
    volumeThreshold: tunables.threshold,
    errorThresholdPercentage: 67, // the least with which fewer than three failures never open it
    rollingCountTimeout: tunables.window_s * 1000,
    rollingCountBuckets: 60,
    rollingPercentilesEnabled: false,
    enableSnapshots: false,
  });
}

async function operate(operation, { name, call, outcome, error }) {
  if (!breakers.has(name)) breakers.set(name, made());
  const [breaker, key] = [breakers.get(name), JSON.stringify([name, call])];
  let [found, refusal] = [{}, null];
  if (operation === 'acquire' && !calls.has(key)) breaker.fire(key).catch((said) => (refusal = said));
  if (operation === 'record') calls.get(key)?.[outcome === 'failure' ? 'reject' : 'resolve'](new Error(error));
  await new Promise(setImmediate); // by then every promise that can go on has done so
  if (operation === 'record') calls.delete(key);
  if (operation === 'inspect') found = { failure_count: breaker.stats.failures };
  if (operation === 'acquire') {
    found = calls.has(key) ? { permitted: true } : { permitted: false, held: 'refused', error: refusal.message };
  }
  return { ...found, state: breaker.opened ? 'OPEN' : breaker.halfOpen ? 'HALF_OPEN' : 'CLOSED' };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const passed = 'now' in params && clock ? Date.parse(params.now) - clock.now : 0;
  if ('config' in params) {
    clock?.uninstall();
    clock = FakeTimers.install({ now: Date.parse(params.now), toFake });
    [breakers, calls, tunables] = [new Map(), new Map(), { ...DEFAULTS, ...params.config.tunables }];
  } else if (passed < 0) clock.setSystemTime(Date.parse(params.now));
  else if (passed > 0) passed > DAY_MS ? clock.jump(passed) : clock.tick(passed);
  let answer = { error: { code: -32601, message: `opossum has nothing like ${method}` } };
  if (method in plain) answer = { result: plain[method] };
  else if ('name' in params) answer = { result: await operate(method.split('/')[1], params) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
}
