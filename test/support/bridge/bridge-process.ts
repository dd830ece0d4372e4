import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

const entry = new URL('../../../bridge/server.ts', import.meta.url).pathname

/** A bridge in a process of its own, and all of its output. */
export class BridgeProcess {
  readonly child: ChildProcess
  readonly port: number
  output = ''

  constructor(port: number, env: Record<string, string>, ipc: boolean) {
    this.port = port
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
    const childEnvironment = { PATH, NODE_COMPILE_CACHE, NODE_ENV: 'test', BRIDGE_PORT: String(port), ...env }
    this.child = ipc
      ? fork(entry, { env: childEnvironment, silent: true })
      : spawn(process.execPath, [entry], { env: childEnvironment, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString()
      })
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`
  }

  async waitUntilReady(): Promise<unknown> {
    return (await once(this.child, 'message'))[0] as unknown
  }

  /** Returns the lines of the log that contain the text. */
  findLines(text: string): string[] {
    return this.output.split('\n').filter((line) => line.includes(text))
  }

  async waitForLine(text: string): Promise<void> {
    for (let turn = 0; this.findLines(text).length === 0; turn++) {
      if (turn > 1000) throw new Error(`It did not say ${text}: ${this.output}`)
      await sleep(10)
    }
  }

  async waitForEnd(): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode
    return (await once(this.child, 'exit'))[0] as number | null
  }
}
