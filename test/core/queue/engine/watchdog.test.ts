import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

describe('Watchdog of a process', () => {
  it('lets it live while its event loop runs, and kills it with a line in the log when that stands still', async () => {
    const script = fileURLToPath(new URL('../children/watched.ts', import.meta.url))
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] })
    const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
    const [said, log, [, signal]] = await Promise.all([text(child.stdout), text(child.stderr), exited])
    expect([said, signal]).to.deep.equal(['alive\n', 'SIGKILL'])
    const { time, ...line } = JSON.parse(log) as { time: number }
    expect(line).to.deep.equal({ level: 60, pid: child.pid, msg: 'the event loop stood still for 1 s' })
    expect(Date.now() - time).to.be.within(0, 60_000)
  })
})
