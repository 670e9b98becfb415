// The loop-delay ruler: a timer that re-arms itself and writes down when it really fired.
//
// A gap is the time between two firings, the interval included: nothing is subtracted here. The ring
// keeps the raw gaps, the histogram the same gaps since it was last read.
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

const RING_SIZE = 131_072;
const DEFAULT_INTERVAL_MS = 10;
const FIRINGS_UNTIL_ARMED = 2;
const HIGHEST_US = 3_600_000_000;
const NS_PER_MS = 1_000_000;

// The distribution of the gaps in µs, 3 figures. The mean is exact, as on every runtime.
class GapHistogram {
  #histogram = createHistogram({ lowest: 1, highest: HIGHEST_US, figures: 3 });
  #totalUs = 0;

  record(gapUs) {
    this.#histogram.record(gapUs);
    this.#totalUs += gapUs;
  }

  // Return the figures in ms; nulls when nothing was recorded.
  readFigures() {
    const mean = this.#totalUs / this.#histogram.count / 1e3;
    return { ...readHistogram(this.#histogram, 1e3), ...(this.#histogram.count > 0 && { mean }) };
  }
}

// Samples the delay of the event loop, always on, at 1 to 1000 ms.
export class Ruler {
  #ringSize;
  #firedAtNs;
  #gapsNs;
  #timer;
  #native;
  #armed = Promise.withResolvers();
  #histogram;
  #count = 0;
  #firings = 0;
  #lastNs;
  #watchers = [];

  constructor(ringSize = RING_SIZE) {
    this.#ringSize = ringSize;
    this.#firedAtNs = new BigInt64Array(ringSize);
    this.#gapsNs = new BigInt64Array(ringSize);
    this.#start(DEFAULT_INTERVAL_MS);
  }

  #start(intervalMs) {
    clearTimeout(this.#timer);
    this.#native?.disable();
    this.intervalMs = intervalMs;
    this.#count = 0;
    this.#firings = 0;
    this.#histogram = new GapHistogram();
    this.#armed = Promise.withResolvers();
    this.#native = monitorEventLoopDelay({ resolution: intervalMs });
    this.#native.enable();
    this.#lastNs = process.hrtime.bigint();
    this.#timer = setTimeout(this.#fire, intervalMs);
  }

  #fire = () => {
    const nowNs = process.hrtime.bigint();
    this.#timer = setTimeout(this.#fire, this.intervalMs);
    const gapNs = nowNs - this.#lastNs;
    this.#lastNs = nowNs;
    this.#firings += 1;
    if (this.#firings === 1) return; // it has no firing before it, so no gap
    const slot = this.#count % this.#ringSize;
    this.#firedAtNs[slot] = nowNs;
    this.#gapsNs[slot] = gapNs;
    this.#count += 1;
    this.#histogram.record(Math.max(1, Math.floor(Number(gapNs) / 1000)));
    const lagNs = Math.max(0, Number(gapNs) - this.intervalMs * NS_PER_MS);
    for (const watch of this.#watchers) watch(lagNs);
    if (this.#firings === FIRINGS_UNTIL_ARMED) this.#armed.resolve();
  };

  // Return the clock that the samples are written in.
  readClockNs() {
    return process.hrtime.bigint();
  }

  // Call `note` with the lag (ns, the gap beyond the interval, never negative) of each gap from now on.
  watch(note) {
    this.#watchers.push(note);
  }

  // Return how late the next firing is at this instant (ns); negative while it is not due yet.
  readOverdueNs() {
    return Number(process.hrtime.bigint() - this.#lastNs) - this.intervalMs * NS_PER_MS;
  }

  // Clear everything, sample every `intervalMs` from now on, and wait for two firings.
  async arm(intervalMs) {
    const superseded = this.#armed;
    this.#start(intervalMs);
    superseded.resolve();
    await this.#armed.promise;
  }

  // Return `[t_ns, gap_ns]` of the firings after `sinceNs`, oldest first, and how many the ring lost.
  readSamples(sinceNs) {
    const oldest = Math.max(0, this.#count - this.#ringSize);
    const first = this.#findFirstAfter(sinceNs, oldest);
    const samples = [];
    for (let index = first; index < this.#count; index += 1) {
      const slot = index % this.#ringSize;
      samples.push([this.#firedAtNs[slot], this.#gapsNs[slot]]);
    }
    return { samples, dropped: first === oldest ? oldest : 0 };
  }

  #findFirstAfter(sinceNs, oldest) {
    let low = oldest;
    let high = this.#count;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#firedAtNs[middle % this.#ringSize] > sinceNs) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  // Return the figures (ms) of all gaps since the last call and start over; nulls when there are none.
  //
  // The ruler itself runs on, so the gap in flight is not lost: it counts in the next reading.
  takeHistogram() {
    const taken = this.#histogram;
    this.#histogram = new GapHistogram();
    return { ...taken.readFigures(), interval_ms: this.intervalMs };
  }

  // Return the figures (ms) of Node's own monitor since the ruler was armed: a cross-check, no source.
  readNative() {
    return readHistogram(this.#native, 1e6);
  }
}

function readHistogram(histogram, unitsPerMs) {
  const { count } = histogram;
  if (count === 0) return { count, min: null, mean: null, p50: null, p99: null, max: null };
  return {
    count,
    min: histogram.min / unitsPerMs,
    mean: histogram.mean / unitsPerMs,
    p50: histogram.percentile(50) / unitsPerMs,
    p99: histogram.percentile(99) / unitsPerMs,
    max: histogram.max / unitsPerMs,
  };
}
