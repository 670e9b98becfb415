// The container as it looks from inside: its limits, and what this process has used. Null where unknown.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const CGROUP = '/sys/fs/cgroup';
const STATUS = '/proc/self/status';
const SCHEDSTAT = '/proc/self/schedstat';
const UNLIMITED_BYTES = 2 ** 60; // cgroup v1 writes "no limit" as a huge number

export function readLimits() {
  return {
    cpus_allowed: readStatusField('Cpus_allowed_list'),
    cpu_quota: readCpuQuota(),
    memory_limit_bytes: readMemoryLimitBytes(),
  };
}

function readStatusField(name) {
  const line = (readText(STATUS) ?? '').split('\n').find((text) => text.startsWith(`${name}:`));
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

// Return what has been used since the start; the throttling is the container's, the rest this process's.
export function readUsage() {
  const { user, system } = process.cpuUsage();
  const peak = readStatusField('VmHWM');
  const [throttledPeriods, throttledS] = readThrottling();
  return {
    cpu_s: (user + system) / 1e6,
    memory_peak_bytes: peak === null ? null : Number.parseInt(peak, 10) * 1024,
    throttled_periods: throttledPeriods,
    throttled_s: throttledS,
    run_delay_s: readRunDelayS(),
  };
}

// Return for how long the loop's thread was ready to run and another process had its core.
function readRunDelayS() {
  const text = readText(SCHEDSTAT);
  return text ? Number(text.split(' ')[1]) / 1e9 : null;
}

// Return periods and seconds in which the quota held the container up (cgroup v2 in us, v1 in ns).
function readThrottling() {
  const text = readText(join(CGROUP, 'cpu.stat')) ?? readText(join(CGROUP, 'cpu', 'cpu.stat')) ?? '';
  const fields = Object.fromEntries(text.split('\n').map((line) => line.split(' ')));
  if ('throttled_usec' in fields) return [Number(fields.nr_throttled), Number(fields.throttled_usec) / 1e6];
  if ('throttled_time' in fields) return [Number(fields.nr_throttled), Number(fields.throttled_time) / 1e9];
  return [null, null];
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}
