// What this target is: runtime, versions, loop, pool, and the limits as they look from inside.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { POOL_SIZE } from './workloads.js';

const CGROUP = '/sys/fs/cgroup';
const UNLIMITED_BYTES = 2 ** 60; // cgroup v1 writes "no limit" as a huge number

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
    };
  }
}

function readLimits() {
  return {
    cpus_allowed: readStatusField('Cpus_allowed_list'),
    cpu_quota: readCpuQuota(),
    memory_limit_bytes: readMemoryLimitBytes(),
  };
}

function readStatusField(name) {
  const line = (readText('/proc/self/status') ?? '').split('\n').find((text) => text.startsWith(`${name}:`));
  return line === undefined ? null : line.slice(name.length + 1).trim();
}

// Return the quota in cores, or null where there is none (cgroup v2 first, then v1).
function readCpuQuota() {
  const unified = readText(join(CGROUP, 'cpu.max'));
  if (unified) {
    const [quota, period] = unified.split(' ');
    return quota === 'max' ? null : Number(quota) / Number(period);
  }
  const [quotaUs, periodUs] = ['quota', 'period'].map((what) => readText(join(CGROUP, 'cpu', `cpu.cfs_${what}_us`)));
  return quotaUs && periodUs && Number(quotaUs) > 0 ? Number(quotaUs) / Number(periodUs) : null;
}

function readMemoryLimitBytes() {
  const text = readText(join(CGROUP, 'memory.max')) ?? readText(join(CGROUP, 'memory', 'memory.limit_in_bytes'));
  return !text || text === 'max' || Number(text) >= UNLIMITED_BYTES ? null : Number(text);
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}
