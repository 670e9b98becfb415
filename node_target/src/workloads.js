// The work behind the routes: waiting, burning wall time, hashing, and the ramp's clock.
import { pbkdf2, pbkdf2Sync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

export const POOL_SIZE = 4;
const RAMP_LIMIT_MS = 20;
const KEY_RECIPE = ['p', 's', 40_000, 32, 'sha512'];

const pbkdf2InPool = promisify(pbkdf2);

// Hold the event loop for `durationMs` of wall time.
export function burn(durationMs) {
  const endNs = process.hrtime.bigint() + BigInt(durationMs) * 1_000_000n;
  while (process.hrtime.bigint() < endNs);
}

// Return the first 16 hex digits of PBKDF2-HMAC-SHA512; the same on every runtime.
export function deriveKey() {
  return shorten(pbkdf2Sync(...KEY_RECIPE));
}

function shorten(key) {
  return key.toString('hex').slice(0, 16);
}

// What needs a loop, a pool or a memory of its own.
export class Workloads {
  #rampStartedNs = process.hrtime.bigint();

  async wait(durationMs) {
    await sleep(durationMs);
  }

  async deriveKeyInPool() {
    return shorten(await pbkdf2InPool(...KEY_RECIPE));
  }

  resetRamp() {
    this.#rampStartedNs = process.hrtime.bigint();
  }

  // Burn as many ms as whole seconds have passed since the reset, at most 20.
  burnRamp() {
    const elapsedS = Number((process.hrtime.bigint() - this.#rampStartedNs) / 1_000_000_000n);
    burn(Math.min(RAMP_LIMIT_MS, elapsedS));
  }
}
