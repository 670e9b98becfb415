// The loop's health for Prometheus. Scrapes read and never reset, so that two scrapers do not disturb each other.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

const LAG_BUCKETS_S = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const STALL_NS = 250_000_000;

export const CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

// Lag as a histogram, the busy share of the last second, and stalls, each of which is logged.
export class Metrics {
  #registry = new Registry();
  #lag;
  #stalls;

  constructor(ruler, lag) {
    const registers = [this.#registry];
    this.#lag = new Histogram({
      name: 'event_loop_lag_seconds',
      help: 'Lateness of the ruler beyond its interval.',
      buckets: LAG_BUCKETS_S,
      registers,
    });
    this.#stalls = new Counter({ name: 'event_loop_stalls_total', help: 'Firings more than 250 ms late.', registers });
    new Gauge({
      name: 'event_loop_busy_ratio',
      help: 'Busy share of the loop in the last whole second.',
      registers,
      collect() {
        this.set(lag.busy ?? Number.NaN);
      },
    });
    ruler.watch((lagNs) => this.#note(lagNs));
  }

  #note(lagNs) {
    this.#lag.observe(lagNs / 1e9);
    if (lagNs > STALL_NS) {
      this.#stalls.inc();
      console.error(`event loop stalled for ${Math.floor(lagNs / 1e6)} ms until ${new Date().toISOString()}`);
    }
  }

  // Return the text format, version 0.0.4.
  async expose() {
    return this.#registry.metrics();
  }
}
