// How busy the event loop was: cumulative seconds, from the best source that this loop has.
//
// Node meters its loop itself (event loop utilisation); the CPU time of the loop's thread stands
// beside it on every runtime.
import { PerformanceObserver, performance } from 'node:perf_hooks';

// Counts garbage collections and the seconds that they took.
class CollectionMeter {
  count = 0;
  totalMs = 0;

  constructor() {
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        this.count += 1;
        this.totalMs += entry.duration;
      }
    });
    observer.observe({ entryTypes: ['gc'] });
  }
}

// Cumulative counters of the loop's thread and process; a difference of two reads is a window.
export class BusyMeter {
  source = 'elu';
  #collections = new CollectionMeter();

  // Return the busy seconds since the start, by `source`.
  readBusyS() {
    return performance.eventLoopUtilization().active / 1e3;
  }

  // Return seconds and counts since the start; null where this runtime has no such figure.
  readCounters() {
    const thread = process.threadCpuUsage();
    const usage = process.resourceUsage();
    return {
      thread_cpu_s: (thread.user + thread.system) / 1e6,
      busy_s: this.readBusyS(),
      gc_count: this.#collections.count,
      gc_s: this.#collections.totalMs / 1e3,
      ctx_switches: usage.voluntaryContextSwitches + usage.involuntaryContextSwitches,
    };
  }
}
