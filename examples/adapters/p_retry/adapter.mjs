// p-retry behind the protocol. Each answer is a run of pRetry on work that always fails, on a timer that takes no time.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import pRetry from 'p-retry';

const plain = { initialize: JSON.parse(readFileSync('about.json', 'utf8')), reset: {}, open: {}, shutdown: {} };
const DEFAULTS = { initial_delay_s: 5, max_delay_s: 300, multiplier: 2, max_retries: 5 };
const failure = new Error('rate limit'); // one for all: the trace of a new one, a million times, takes longest
let tunables;

const milliseconds = (value) => (typeof value === 'number' ? value * 1000 : value);
const options = (given) => ({
  retries: given.max_retries,
  minTimeout: milliseconds(given.initial_delay_s),
  maxTimeout: milliseconds(given.max_delay_s),
  factor: given.multiplier,
});

// whether there is a retry of that number, and how long the library waits before it
function nextDelay(retry) {
  return new Promise((answer) => {
    let attempt = 0;
    const work = (number) => {
      attempt = number;
      if (attempt > retry) answer({ retry: true, delay_s: 0 }); // it sets no timer where the delay is none
      throw failure;
    };
    globalThis.setTimeout = (goOn, delayMs) => {
      if (attempt < retry) queueMicrotask(goOn);
      else answer({ retry: true, delay_s: delayMs / 1000 }); // here the run is left
    };
    pRetry(work, options(tunables)).catch(() => answer({ retry: false }));
  });
}

// the tunables are taken unless the library throws
async function configure(given) {
  const wanted = Object.fromEntries(Object.entries(tunables).map(([name, value]) => [name, given[name] ?? value]));
  const accepted = await pRetry(() => true, options(wanted)).catch(() => false);
  if (accepted) tunables = wanted;
  return { accepted, tunables: { ...tunables, max_retries: Math.ceil(tunables.max_retries) } };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if ('config' in params) tunables = { ...DEFAULTS, ...params.config.tunables };
  let answer = { error: { code: -32601, message: `p-retry has nothing like ${method}` } };
  if (method in plain) answer = { result: plain[method] };
  else if (method === 'rate_limit/next_delay') answer = { result: await nextDelay(params.retry) };
  else if (method === 'rate_limit/configure') answer = { result: await configure(params.tunables) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
}
