// The JSON body of a request: at most 1024 bytes of strict JSON.
const MAX_BODY_BYTES = 1024;

// Return what the body holds, or undefined for anything that is not JSON, or too large.
export async function readJson(request, response) {
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
  const body = await readBody(request);
  return body === undefined ? undefined : parseJson(body);
}

// What is too much is given up at once, and read on and dropped, or the connection would stand still.
function readBody(request) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    let bytes = 0;
    request.on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
      else resolve(undefined);
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

function parseJson(body) {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    return undefined;
  }
}

// Whether a JSON value is a number within the limits; `1e1` and `10.0` are whole.
export function isNumber(value, low, high, { whole }) {
  if (typeof value !== 'number' || !(low <= value && value <= high)) return false;
  return !whole || Number.isInteger(value);
}
