// Load shedding: refuse work at the door while the loop is late, so that what is let in keeps its latency.
//
// Asked before routing: a refusal must cost next to nothing. The instruments are never refused.
import { isNumber } from './body.js';

const INSTRUMENTS = new Set([
  '/admission',
  '/eld',
  '/healthz',
  '/info',
  '/metrics',
  '/ramp-reset',
  '/ruler',
  '/samples',
]);
const RELEASE_LAG_SHARE = 0.5; // hysteresis: shedding ends under half the lag and nine tenths of the busy share
const RELEASE_BUSY_SHARE = 0.9;
const REFUSAL_BODY = '{"error":"overloaded; retry after 1 s"}';
const REFUSAL_HEADERS = {
  'content-length': REFUSAL_BODY.length,
  'content-type': 'application/json',
  'retry-after': '1',
};
export const ADMISSION_RULE =
  'body: allowed is {"enabled":true or false,"lag_p99_ms":N,"busy":X,"lag_now_ms":N}, lag_p99_ms a whole number from 1 ' +
  '(timers are no finer) to 10000, busy from 0.1 to 1, lag_now_ms a whole number from 0 to 10000, each of the three ' +
  'null or left out for off, at most 1024 bytes of JSON';
const WINDOW_RULE = { lag_p99_ms: 200, busy: 0.9, lag_now_ms: null };
const OFF = { enabled: false, lag_p99_ms: null, busy: null, lag_now_ms: null };

// The window rule (`lag_p99_ms`, `busy`, over the last second) and the instant rule (`lag_now_ms`); null is off.
//
// Return undefined for anything but the fields above. On without a threshold means the window rule's own.
export function readSettings(content) {
  if (content === null || typeof content !== 'object' || Array.isArray(content)) return undefined;
  const { enabled, ...given } = content;
  if (typeof enabled !== 'boolean' || !Object.keys(given).every((name) => Object.hasOwn(WINDOW_RULE, name)))
    return undefined;
  const thresholds = Object.fromEntries(Object.keys(WINDOW_RULE).map((name) => [name, given[name] ?? null]));
  if (!Object.entries(thresholds).every(([name, value]) => isAllowed(name, value))) return undefined;
  const isBare = Object.values(thresholds).every((value) => value === null);
  return { enabled, ...(enabled && isBare ? WINDOW_RULE : thresholds) };
}

function isAllowed(name, value) {
  if (value === null) return true;
  if (name === 'busy') return isNumber(value, 0.1, 1, { whole: false });
  return isNumber(value, name === 'lag_p99_ms' ? 1 : 0, 10_000, { whole: true });
}

// The door in front of the routes.
export class Admission {
  #lag;
  #settings = OFF;
  #shedding = false;

  constructor(lag) {
    this.#lag = lag;
  }

  // Return the settings that hold from now on.
  apply(settings) {
    this.#settings = settings;
    this.#shedding = false;
    return settings;
  }

  // Answer instead of the routes where the request is refused; return whether it was.
  refuse(path, response) {
    if (!this.#settings.enabled || INSTRUMENTS.has(path) || !this.#refuses()) return false;
    response.writeHead(503, REFUSAL_HEADERS);
    response.end(REFUSAL_BODY);
    return true;
  }

  #refuses() {
    const { lag_now_ms } = this.#settings;
    if (lag_now_ms !== null && this.#lag.readLagNowMs() > lag_now_ms) return true;
    this.#shedding = this.#shedding ? this.#exceeds(RELEASE_LAG_SHARE, RELEASE_BUSY_SHARE) : this.#exceeds(1, 1);
    return this.#shedding;
  }

  // Whether the last second was over either threshold of the window rule, scaled.
  #exceeds(lagShare, busyShare) {
    const { lag_p99_ms, busy } = this.#settings;
    const late = lag_p99_ms !== null && (this.#lag.lagP99Ms ?? 0) > lag_p99_ms * lagShare;
    return late || (busy !== null && (this.#lag.busy ?? 0) > busy * busyShare);
  }
}
