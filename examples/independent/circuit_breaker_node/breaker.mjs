// A circuit breaker that shares its state file, behind the protocol: JSON-RPC 2.0, one message a line.
import { parse } from './instants.mjs';
import { Service } from './service.mjs';

const HELLO = {
  protocolVersion: 1,
  implementation: { name: 'circuit-breaker-node', version: '1.0', language: 'javascript' },
  systems: { circuit_breaker: { not_implemented: {} } },
  clock: 'virtual',
};
const isText = (value) => typeof value === 'string';
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isOutcome = (value) => value === 'success' || value === 'failure';
const ARGUMENTS = {
  acquire: { needed: { name: isText, call: isText }, free: { urgent: (value) => typeof value === 'boolean' } },
  record: {
    needed: { name: isText, call: isText, outcome: isOutcome },
    free: { error: (value) => value === null || isText(value) },
  },
  inspect: { needed: { name: isText }, free: {} },
  capacity: { needed: { agents: Number.isSafeInteger }, free: {} },
  configure: { needed: { tunables: isObject }, free: {} },
};
let service = null;

class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

function check({ needed, free }, params) {
  const known = { ...needed, ...free, now: (value) => parse(value) !== null };
  for (const name of [...Object.keys(needed), 'now']) {
    if (!Object.hasOwn(params, name)) throw new Refusal(-32602, `${name} is missing`);
  }
  for (const [name, value] of Object.entries(params)) {
    if (!Object.hasOwn(known, name)) throw new Refusal(-32602, `${name} is unknown`);
    if (!known[name](value)) throw new Refusal(-32602, `${name} is not of the right kind`);
  }
}

function answerTo(method, params) {
  if (method === 'initialize') return HELLO;
  if (method === 'shutdown') return {};
  if (method === 'reset' || method === 'open') {
    service = new Service(params.workdir, params.config?.tunables);
    return {};
  }
  const operation = /^circuit_breaker\/(\w+)$/.exec(method)?.[1];
  if (!operation || !Object.hasOwn(ARGUMENTS, operation)) throw new Refusal(-32601, `there is no ${method}`);
  check(ARGUMENTS[operation], params);
  if (!service) throw new Refusal(-32000, 'neither reset nor open came before');
  return service.run(operation, params);
}

function replyTo(line) {
  let id = Number(/"id"\s*:\s*(\d+)/.exec(line)?.[1] ?? 0);
  let method = null;
  try {
    const call = JSON.parse(line);
    ({ id, method } = call);
    return { reply: { jsonrpc: '2.0', id, result: answerTo(method, call.params ?? {}) }, ends: method === 'shutdown' };
  } catch (problem) {
    const code = problem instanceof Refusal ? problem.code : problem instanceof SyntaxError ? -32700 : -32000;
    return { reply: { jsonrpc: '2.0', id, error: { code, message: problem.message } }, ends: false };
  }
}

// Not readline: it also ends lines at U+2028, which JSON lets stand in a text.
async function serve() {
  let parts = [];
  for await (const chunk of process.stdin) {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = Buffer.concat([...parts, rest.subarray(0, end)]).toString('utf8');
      [parts, rest] = [[], rest.subarray(end + 1)];
      const { reply, ends } = replyTo(line);
      process.stdout.write(`${JSON.stringify(reply)}\n`);
      if (ends) return;
    }
    if (rest.length > 0) parts.push(rest);
  }
}

if (process.umask() & 0o700) process.umask(process.umask() & 0o077); // what its owner cannot open is of no use
process.on('SIGXFSZ', () => {}); // then a write beyond the limit fails with EFBIG and does not kill
await serve();
process.exit(0);
