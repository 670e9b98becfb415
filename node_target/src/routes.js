// The routes of the contract on node:http, and the error bodies that every runtime shares.
import { ADMISSION_RULE, Admission, readSettings } from './admission.js';
import { isNumber, readJson } from './body.js';
import { CONTENT_TYPE } from './metrics.js';
import { burn, deriveKey } from './workloads.js';

const MAX_NUMBER = 10_000n;
const MAX_TIMESTAMP_NS = 2n ** 63n - 1n;
const NUMBER_RULE = `a whole number from 0 to ${MAX_NUMBER}, at most 5 digits`;
const TIMESTAMP_RULE = `a whole number from 0 to ${MAX_TIMESTAMP_NS}, at most 19 digits`;
const RULER_RULE = 'body: allowed is {"interval_ms":N}, N a whole number from 1 to 1000, at most 1024 bytes of JSON';

// A refusal with its status, its text and further headers.
class Refusal extends Error {
  constructor(status, text, headers = {}) {
    super(text);
    this.status = status;
    this.headers = headers;
  }
}

// Return the request handler of the whole contract, behind its door. The instruments are what its routes read and set.
export function buildRoutes(instruments, workloads) {
  const door = new Admission(instruments.lag);
  const routes = { ...workloadRoutes(workloads), ...instrumentRoutes(instruments), ...admissionRoute(door) };
  const allowed = Object.keys(routes).sort().join(', ');

  return async (request, response) => {
    try {
      const [path, query] = splitTarget(request.url);
      if (door.refuse(path, response)) return;
      const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
      if (route === undefined) throw new Refusal(404, `unknown route; allowed are ${allowed}`);
      const { method = 'GET', answer, type = 'application/json' } = route;
      if (request.method !== method) {
        throw new Refusal(405, `method not allowed; allowed is ${method}`, { allow: method });
      }
      send(response, 200, await answer(query, request, response), { 'content-type': type });
    } catch (fault) {
      answerFault(response, fault);
    }
  };
}

function workloadRoutes(workloads) {
  const ok = { ok: true };
  return {
    '/noop': { answer: () => ok },
    '/slow': {
      answer: async (query) => {
        const { ms } = readNumbers(query, { ms: 300 });
        await workloads.wait(ms);
        return ok;
      },
    },
    '/block': {
      answer: (query) => {
        burn(readNumbers(query, { ms: 30 }).ms);
        return ok;
      },
    },
    '/hash-sync': { answer: () => ({ ok: true, key: deriveKey() }) },
    '/hash-async': { answer: async () => ({ ok: true, key: await workloads.deriveKeyInPool() }) },
    '/ramp': {
      answer: () => {
        workloads.burnRamp();
        return ok;
      },
    },
    '/ramp-reset': {
      answer: () => {
        workloads.resetRamp();
        return ok;
      },
    },
    '/work': {
      answer: async (query) => {
        const { cpu_ms, io_ms } = readNumbers(query, { cpu_ms: 2, io_ms: 10 });
        burn(cpu_ms);
        await workloads.wait(io_ms);
        return ok;
      },
    },
  };
}

function instrumentRoutes({ runtime, ruler, busy, metrics }) {
  return {
    '/eld': { answer: () => ruler.takeHistogram() },
    '/samples': {
      answer: (query) => {
        const sinceNs = readTimestamp(query);
        const counters = busy.readCounters();
        const { samples, dropped } = ruler.readSamples(sinceNs);
        const nowNs = ruler.readClockNs();
        const state = { now_ns: nowNs, interval_ms: ruler.intervalMs, dropped };
        return { ...state, ...counters, native: ruler.readNative(), samples };
      },
    },
    '/ruler': {
      method: 'POST',
      answer: async (_query, request, response) => {
        const intervalMs = await readIntervalMs(request, response);
        await ruler.arm(intervalMs);
        return { interval_ms: intervalMs };
      },
    },
    '/info': { answer: () => runtime.describe(ruler.intervalMs) },
    '/metrics': { type: CONTENT_TYPE, answer: () => metrics.expose() },
    '/healthz': { answer: () => ({ ok: true }) },
  };
}

function admissionRoute(door) {
  return {
    '/admission': {
      method: 'POST',
      answer: async (_query, request, response) => {
        const settings = readSettings(await readJson(request, response));
        if (settings === undefined) throw new Refusal(422, ADMISSION_RULE);
        return door.apply(settings);
      },
    },
  };
}

function splitTarget(url) {
  const mark = url.indexOf('?');
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

// Return the route's numbers, or refuse with every fault at once.
function readNumbers(query, defaults) {
  const given = new URLSearchParams(query);
  const faults = [];
  const numbers = { ...defaults };
  for (const name of Object.keys(defaults)) {
    const text = given.getAll(name).at(-1);
    if (text === undefined) continue;
    if (/^[0-9]{1,5}$/.test(text) && BigInt(text) <= MAX_NUMBER) numbers[name] = Number(text);
    else faults.push(`${name}: ${NUMBER_RULE}`);
  }
  if (faults.length > 0) throw new Refusal(422, faults.join('; '));
  return numbers;
}

function readTimestamp(query) {
  const text = new URLSearchParams(query).getAll('since_ns').at(-1) ?? '0';
  if (/^[0-9]{1,19}$/.test(text) && BigInt(text) <= MAX_TIMESTAMP_NS) return BigInt(text);
  throw new Refusal(422, `since_ns: ${TIMESTAMP_RULE}`);
}

// Return the interval asked for; anything but one JSON object with a whole number in it is a 422.
async function readIntervalMs(request, response) {
  const intervalMs = (await readJson(request, response))?.interval_ms;
  if (!isNumber(intervalMs, 1, 1000, { whole: true })) throw new Refusal(422, RULER_RULE);
  return intervalMs;
}

function answerFault(response, fault) {
  if (fault instanceof Refusal) {
    send(response, fault.status, { error: fault.message }, fault.headers);
  } else {
    console.error(fault);
    send(response, 500, { error: 'the target failed; its log says why' });
  }
}

// JSON.stringify has no bigint; timestamps past 2^53 ns (104 days of uptime) must stay exact.
function writeExactly(_name, value) {
  return typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value;
}

function send(response, status, content, headers = {}) {
  const body = typeof content === 'string' ? content : JSON.stringify(content, writeExactly);
  response.writeHead(status, {
    'content-length': Buffer.byteLength(body),
    'content-type': 'application/json',
    ...headers,
  });
  response.end(body);
}
