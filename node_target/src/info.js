// What this target is: runtime, versions, loop, pool, and its container as it looks from inside.
import { readLimits, readUsage } from './container.js';
import { POOL_SIZE } from './workloads.js';

// The loop that this process was started on.
export class Runtime {
  constructor(busySource) {
    this.busySource = busySource;
  }

  // Return the body of `/info`; null where something cannot be known.
  describe(intervalMs) {
    const { node, uv, v8, openssl, llhttp } = process.versions;
    return {
      runtime: 'node',
      runtime_version: node,
      loop: 'node',
      loop_class: `libuv ${uv}`,
      versions: { node, openssl, uv, v8, llhttp },
      pool_size: POOL_SIZE,
      interval_ms: intervalMs,
      clock: 'clock_gettime(CLOCK_MONOTONIC)',
      busy_source: this.busySource,
      native_monitor: 'monitorEventLoopDelay',
      pid: process.pid,
      limits: readLimits(),
      usage: readUsage(),
    };
  }
}
