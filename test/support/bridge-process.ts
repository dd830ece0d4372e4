import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

const entry = new URL('../../bridge/server.ts', import.meta.url).pathname

/** The bridge as a process of its own, with everything it wrote. */
export class BridgeProcess {
  readonly child: ChildProcess
  readonly port: number
  output = ''

  constructor(port: number, env: Record<string, string>, ipc: boolean) {
    this.port = port
    const full = { PATH: process.env['PATH'] ?? '', NODE_ENV: 'test', BRIDGE_PORT: String(port), ...env }
    this.child = ipc
      ? fork(entry, { env: full, silent: true })
      : spawn(process.execPath, [entry], { env: full, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString()
      })
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`
  }

  async ready(): Promise<unknown> {
    return (await once(this.child, 'message'))[0] as unknown
  }

  /** The lines of the log that say this. */
  lines(text: string): string[] {
    return this.output.split('\n').filter((line) => line.includes(text))
  }

  async says(text: string): Promise<void> {
    for (let turn = 0; this.lines(text).length === 0; turn++) {
      if (turn > 1000) throw new Error(`It did not say ${text}: ${this.output}`)
      await sleep(10)
    }
  }

  async ended(): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode
    return (await once(this.child, 'exit'))[0] as number | null
  }
}
