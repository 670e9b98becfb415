// The lag of the last whole second: its p99, the busy share beside it, and this very instant's.
//
// Fed by the ruler; read by metrics and admission. Nothing here is reset by whoever reads it.
const SECOND_NS = 1_000_000_000n;

// `lagP99Ms` and `busy` describe the last second that is over; null until one is.
export class LagMonitor {
  lagP99Ms = null;
  busy = null;
  #ruler;
  #busyMeter;
  #lagsNs = [];
  #secondBeganNs = process.hrtime.bigint();
  #busyS;

  constructor(ruler, busyMeter) {
    this.#ruler = ruler;
    this.#busyMeter = busyMeter;
    this.#busyS = busyMeter.readBusyS();
    ruler.watch((lagNs) => this.#note(lagNs));
  }

  #note(lagNs) {
    this.#lagsNs.push(lagNs);
    const nowNs = process.hrtime.bigint();
    const elapsedNs = nowNs - this.#secondBeganNs;
    if (elapsedNs < SECOND_NS) return;
    this.#lagsNs.sort((one, other) => one - other);
    const rank = Math.ceil((99 * this.#lagsNs.length) / 100);
    this.lagP99Ms = this.#lagsNs[rank - 1] / 1e6;
    const busyS = this.#busyMeter.readBusyS();
    this.busy = ((busyS - this.#busyS) * 1e9) / Number(elapsedNs);
    this.#lagsNs = [];
    this.#busyS = busyS;
    this.#secondBeganNs = nowNs;
  }

  // Return how late the ruler is at this instant; negative while it is not due yet.
  readLagNowMs() {
    return this.#ruler.readOverdueNs() / 1e6;
  }
}
