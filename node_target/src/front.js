// The HTTP front: node:http, set so that every runtime speaks the same HTTP.
import { createServer } from 'node:http';

const MAX_HEAD_BYTES = 16_384;
const KEEP_ALIVE_S = 75;
const BACKLOG = 2048;
const STOP_WITHIN_S = 1;
const HEAD_REFUSAL_BODY = '{"error":"header block too large; allowed are 16384 bytes"}';
const HEAD_REFUSAL =
  `HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: ${HEAD_REFUSAL_BODY.length}\r\n` +
  `content-type: application/json\r\nconnection: close\r\n\r\n${HEAD_REFUSAL_BODY}`;
const BAD_REQUEST = 'HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n';

// Return the server of the given routes, not yet listening.
export function buildServer(routes) {
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_S * 1000,
    keepAliveTimeoutBuffer: 0,
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: 0,
    requestTimeout: 0,
    noDelay: true,
    requireHostHeader: false,
  });
  server.on('request', (request, response) => {
    response.sendDate = false;
    if (request.httpVersion === '1.0') response.shouldKeepAlive = false;
    // Node says "keep-alive" on every answer, uvicorn only ever says "close".
    if (response.shouldKeepAlive) response.removeHeader('connection');
    routes(request, response);
  });
  server.on('clientError', refuse);
  return server;
}

function refuse(fault, socket) {
  if (!socket.writable) return socket.destroy();
  socket.end(fault.code === 'HPE_HEADER_OVERFLOW' ? HEAD_REFUSAL : BAD_REQUEST);
}

// Listen until a signal ends the process; what is in flight then has a second to finish.
export function serve(server, host, port) {
  server.on('error', (fault) => {
    console.error(`target: ${fault.message}`);
    process.exit(1);
  });
  server.listen({ host, port, backlog: BACKLOG });
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      server.close(() => process.exit(0));
      server.closeIdleConnections();
      setTimeout(() => process.exit(0), STOP_WITHIN_S * 1000);
    });
  }
}
