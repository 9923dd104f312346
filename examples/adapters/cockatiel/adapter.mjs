// cockatiel behind the protocol. A call is a promise, which the guarded function leaves pending until record.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import FakeTimers from '@sinonjs/fake-timers';
import { circuitBreaker, ConsecutiveBreaker, handleAll, SamplingBreaker } from 'cockatiel';

const plain = { initialize: JSON.parse(readFileSync('about.json', 'utf8')), reset: {}, open: {}, shutdown: {} };
const DEFAULTS = { threshold: 3, window_s: 60, cooldown_s: 300 };
const STATES = ['CLOSED', 'OPEN', 'HALF_OPEN'];
let policies, calls, tunables, clock;

function made() {
  const { threshold, window_s, cooldown_s } = tunables;
  const sampling = { threshold: 0.67, duration: window_s * 1000, minimumRps: threshold / window_s };
  const consecutive = process.argv[2] === 'consecutive';
  const breaker = consecutive ? new ConsecutiveBreaker(threshold) : new SamplingBreaker(sampling);
  return circuitBreaker(handleAll, { halfOpenAfter: cooldown_s * 1000, breaker });
}

function begin(policy) {
  const call = { ending: null, refusal: null };
  const guarded = () => new Promise((resolve, reject) => (call.ending = { resolve, reject }));
  policy.execute(guarded).catch((said) => (call.refusal = said));
  return call;
}

async function operate(operation, { name, call, outcome, error }) {
  if (!policies.has(name)) policies.set(name, made());
  const [policy, key] = [policies.get(name), JSON.stringify([name, call])];
  if (operation === 'acquire' && !calls.has(key)) calls.set(key, begin(policy));
  const known = calls.get(key);
  if (operation === 'record') known?.ending?.[outcome === 'failure' ? 'reject' : 'resolve'](new Error(error));
  await new Promise(setImmediate); // by then every promise that can go on has done so
  let found = {};
  if (operation === 'acquire' && known.ending) found = { permitted: true };
  else if (operation === 'acquire' && !known.refusal) found = { permitted: false, held: 'queued' };
  else if (operation === 'acquire') {
    found = { permitted: false, held: 'refused', error: policy.lastFailure.error.message };
  }
  if (known?.refusal || (operation === 'record' && known?.ending)) calls.delete(key);
  return { ...found, state: STATES[policy.state] };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if ('config' in params) {
    clock?.uninstall();
    clock = FakeTimers.install({ now: Date.parse(params.now), toFake: ['Date'] });
    [policies, calls, tunables] = [new Map(), new Map(), { ...DEFAULTS, ...params.config.tunables }];
  } else if ('now' in params) clock.setSystemTime(Date.parse(params.now));
  let answer = { error: { code: -32601, message: `cockatiel has nothing like ${method}` } };
  if (method in plain) answer = { result: plain[method] };
  else if ('name' in params) answer = { result: await operate(method.split('/')[1], params) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
}
