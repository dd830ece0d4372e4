import { Worker } from 'node:worker_threads'

export interface Watchdog {
  /** Signals that the event loop is running. */
  beat(): void
  stop(): Promise<void>
}

/**
 * Kills this process when its event loop stands still for `seconds` seconds, as with a handler that never returns.
 * Other workers then continue its jobs, and a supervisor restarts the process. Time in which the process itself did not
 * run, because the machine slept, does not count.
 */
export function startWatchdog(seconds: number): Watchdog {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const script = new URL('./watchdog.thread.ts', import.meta.url)
  const thread = new Worker(script, { workerData: { beats, seconds }, execArgv: [] })
  thread.unref()
  return {
    beat: () => void Atomics.add(beats, 0, 1),
    stop: async () => void (await thread.terminate()),
  }
}
