// The HTTP front: node:http, set so that every runtime speaks the same HTTP.
import { createServer } from 'node:http';

const MAX_HEAD_BYTES = 16_384;
const KEEP_ALIVE_S = 75;
const LINE_BYTES = 4; // the colon, the space and the line end of each header
const MAX_HEADERS = 4096; // more than fit under the cap
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
  server.maxHeadersCount = MAX_HEADERS;
  const answer = (request, response) => {
    response.sendDate = false;
    if (request.httpVersion === '1.0') response.shouldKeepAlive = false;
    // Node says "keep-alive" on every answer, uvicorn only ever says "close".
    if (response.shouldKeepAlive) response.removeHeader('connection');
    if (measureHead(request) > MAX_HEAD_BYTES) refuseHead(request.socket);
    else routes(request, response);
  };
  server.on('request', answer);
  // Node would promise to go on before any route was asked, and refuse what it does not know.
  server.on('checkContinue', answer);
  server.on('checkExpectation', answer);
  server.on('connect', (_request, socket) => socket.end(BAD_REQUEST));
  server.on('clientError', refuse);
  return server;
}

// Node's own cap counts names and values, but not the rest of the lines.
function measureHead({ url, rawHeaders }) {
  const texts = rawHeaders.reduce((bytes, text) => bytes + text.length, 0);
  return url.length + texts + (rawHeaders.length / 2) * LINE_BYTES;
}

function refuseHead(socket) {
  socket.end(HEAD_REFUSAL);
}

function refuse(fault, socket) {
  // What follows a request that asked to close: its answer is still to come, and ends the connection.
  if (fault.code === 'HPE_CLOSED_CONNECTION') return;
  if (!socket.writable) socket.destroy();
  else if (fault.code === 'HPE_HEADER_OVERFLOW') refuseHead(socket);
  else socket.end(BAD_REQUEST);
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
