import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

const { beats, seconds } = workerData as { beats: Int32Array<SharedArrayBuffer>; seconds: number }
const nothing = new Int32Array(new SharedArrayBuffer(4))

for (let seen = -1, still = 0; still < seconds; still++) {
  Atomics.wait(nothing, 0, 0, 1_000)
  const now = Atomics.load(beats, 0)
  if (now !== seen) still = -1
  seen = now
}
const line = { level: 60, time: Date.now(), pid: process.pid, msg: `the event loop stood still for ${seconds} s` }
writeSync(2, `${JSON.stringify(line)}\n`)
process.kill(process.pid, 'SIGKILL')
