import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { Ruler } from '../src/ruler.js';

const ruler = new Ruler(8);

test('the ring keeps the newest and says how many it lost', async () => {
  await ruler.arm(2);
  await sleep(60);
  const { samples, dropped } = ruler.readSamples(0n);
  assert.equal(samples.length, 8);
  assert.ok(dropped > 0);
  for (let index = 1; index < samples.length; index += 1) {
    assert.equal(samples[index][0] - samples[index - 1][0], samples[index][1]);
  }
});

test('what lies inside the ring is sliced without a loss', async () => {
  await ruler.arm(2);
  await sleep(40);
  const since = ruler.readSamples(0n).samples[5][0];
  const later = ruler.readSamples(since);
  assert.equal(later.dropped, 0);
  assert.ok(later.samples.every(([firedAtNs]) => firedAtNs > since));
  assert.equal(ruler.readSamples(ruler.readClockNs()).samples.length, 0);
});

test('arming again answers whoever still waits for the arming before', async () => {
  const first = ruler.arm(1000);
  await ruler.arm(1);
  await first;
  assert.equal(ruler.intervalMs, 1);
});

test('a reading of the histogram takes it and leaves none', async () => {
  await ruler.arm(5);
  await sleep(30);
  const taken = ruler.takeHistogram();
  assert.ok(taken.count > 0 && taken.min > 0 && taken.mean >= taken.min);
  const left = ruler.takeHistogram();
  assert.deepEqual(left, { count: 0, min: null, mean: null, p50: null, p99: null, max: null, interval_ms: 5 });
});
