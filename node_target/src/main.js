// Start the Node target: `node src/main.js`. One process, one event loop, no framework.
import { parseArgs } from 'node:util';

import { BusyMeter } from './busy.js';
import { buildServer, serve } from './front.js';
import { Runtime } from './info.js';
import { LagMonitor } from './lag.js';
import { Metrics } from './metrics.js';
import { buildRoutes } from './routes.js';
import { Ruler } from './ruler.js';
import { POOL_SIZE, Workloads } from './workloads.js';

function readArguments() {
  const { values } = parseArgs({ options: { host: { type: 'string' }, port: { type: 'string' } } });
  const { HOST = '0.0.0.0', PORT = '8080' } = process.env;
  return { host: values.host ?? HOST, port: Number(values.port ?? PORT) };
}

// libuv reads the size once, at first use: it has to be right before the process starts.
function assertPoolSize() {
  if (process.env.UV_THREADPOOL_SIZE !== String(POOL_SIZE)) {
    console.error(`target: start with UV_THREADPOOL_SIZE=${POOL_SIZE}, the pool size of every runtime`);
    process.exit(1);
  }
}

function main() {
  assertPoolSize();
  const { host, port } = readArguments();
  const ruler = new Ruler();
  const busy = new BusyMeter();
  const lag = new LagMonitor(ruler, busy);
  const metrics = new Metrics(ruler, lag);
  const routes = buildRoutes({ runtime: new Runtime(busy.source), ruler, busy, metrics, lag }, new Workloads());
  serve(buildServer(routes), host, port);
}

main();
