/** The clock of this process that never jumps, at a time that a test says. */
export class FakedClock {
  nowMs: number
  /** How often somebody read the clock. */
  readCount = 0

  /** @param nowMs whole milliseconds: a sum with a fraction may be a little more than what is added */
  constructor(nowMs = Math.round(performance.now())) {
    this.nowMs = nowMs
    performance.now = () => {
      this.readCount++
      return this.nowMs
    }
  }

  /** Lets the real clock go on. */
  remove(): void {
    Reflect.deleteProperty(performance, 'now')
  }
}
