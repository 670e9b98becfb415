// Lag, metrics and the door, fed by hand instead of by a ruler.
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import { Admission, readSettings } from '../src/admission.js';
import { LagMonitor } from '../src/lag.js';
import { Metrics } from '../src/metrics.js';

const MS = 1_000_000;

// Notes lags when told to.
class HandRuler {
  overdueNs = 0;
  #watchers = [];

  watch(note) {
    this.#watchers.push(note);
  }

  readOverdueNs() {
    return this.overdueNs;
  }

  fire(lagNs) {
    for (const note of this.#watchers) note(lagNs);
  }
}

function makeLag(ruler, meter = { readBusyS: () => 0 }) {
  return new LagMonitor(ruler, meter);
}

// A door whose refusals are told apart from what it lets in.
function asks(door) {
  return () => door.refuse('/noop', { writeHead() {}, end() {} });
}

test('a stall is counted and logged with its length and time', async () => {
  const ruler = new HandRuler();
  const metrics = new Metrics(ruler, makeLag(ruler));
  const log = mock.method(console, 'error', () => {});
  for (const lagMs of [0, 200, 250, 251, 1500]) ruler.fire(lagMs * MS);
  log.mock.restore();
  const lines = log.mock.calls.map(({ arguments: [line] }) => line);
  assert.deepEqual(
    lines.map((line) => line.slice(0, 36)),
    ['event loop stalled for 251 ms until ', 'event loop stalled for 1500 ms until'],
  );
  assert.match(lines[0], /Z$/);
  const text = await metrics.expose();
  assert.match(text, /event_loop_stalls_total 2$/m);
  assert.match(text, /event_loop_lag_seconds_bucket\{le="0.25"\} 3$/m);
  assert.equal(await metrics.expose(), text);
});

test('the last second is described once it is over', () => {
  const clock = { nowNs: 0n };
  const time = mock.method(process.hrtime, 'bigint', () => clock.nowNs);
  const ruler = new HandRuler();
  const meter = { busyS: 0, readBusyS: () => meter.busyS };
  const lag = makeLag(ruler, meter);
  for (let number = 1; number <= 100; number += 1) {
    assert.equal(lag.lagP99Ms, null);
    clock.nowNs = BigInt(number) * 10_000_000n;
    meter.busyS = number / 400;
    ruler.fire(number * MS);
  }
  time.mock.restore();
  assert.equal(lag.lagP99Ms, 99);
  assert.ok(Math.abs(lag.busy - 0.25) < 1e-9);
});

test('the window rule lets go at half of what it took hold at', () => {
  const lag = { lagP99Ms: null, busy: null, readLagNowMs: () => -10 };
  const door = new Admission(lag);
  door.apply(readSettings({ enabled: true, lag_p99_ms: 200 }));
  const refuses = asks(door);
  const answers = [null, 200, 150, 250, 150, 99, 150].map((value) => {
    lag.lagP99Ms = value;
    return refuses();
  });
  assert.deepEqual(answers, [false, false, false, true, true, false, false]);
});

test('a busy second sheds until nine tenths', () => {
  const lag = { lagP99Ms: 5, busy: null, readLagNowMs: () => -10 };
  const door = new Admission(lag);
  door.apply(readSettings({ enabled: true }));
  const refuses = asks(door);
  const answers = [0.89, 0.95, 0.85, 0.8].map((value) => {
    lag.busy = value;
    return refuses();
  });
  assert.deepEqual(answers, [false, true, true, false]);
});

test('the instant rule looks at this very request', () => {
  const ruler = new HandRuler();
  const door = new Admission(makeLag(ruler));
  door.apply(readSettings({ enabled: true, lag_now_ms: 0 }));
  const refuses = asks(door);
  const answers = [-5 * MS, 1, -1, 3 * MS].map((value) => {
    ruler.overdueNs = value;
    return refuses();
  });
  assert.deepEqual(answers, [false, true, false, true]);
});
