import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { waitUntil, isRunning } from '../../support/processes.ts'

const root = join(import.meta.dirname, '../../..')
const probe = 'test/support/children/probe.ts'

function boot(...args: string[]): ChildProcess {
  const file = join(root, 'core/commands/boot.mjs')
  return spawn(process.execPath, [file, probe, ...args], { cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] })
}
const output = (child: ChildProcess) => (child.stdout ? text(child.stdout) : Promise.resolve(''))

describe('npm start: the command with the right version of Node', () => {
  it("runs an entry on Node 24 in the package's folder, its programs first, the arguments as they are", async () => {
    const child = boot('say', 'a b', '--c', '')
    const said = JSON.parse(await output(child)) as Record<string, unknown>
    expect(said['version']).to.match(/^v24\./)
    expect(said).to.deep.include({ cwd: root.replace(/\/$/, ''), args: ['a b', '--c', ''] })
    expect(said['path']).to.match(new RegExp(`^${root}/node_modules/.bin:`))
  })

  it('ends with the code of the entry', async () => {
    const child = boot('end', '3')
    expect(await once(child, 'exit')).to.deep.equal([3, null])
  })

  it('hands signals on and waits for the entry', async () => {
    const child = boot('wait')
    const [pid] = (await once(createInterface({ input: child.stdout ?? process.stdin }), 'line')) as [string]
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).to.deep.equal([0, null])
    expect(isRunning(Number(pid))).to.equal(false)
  })

  it('does not leave the entry behind when it is killed with -9', async () => {
    const child = boot('wait')
    const [pid] = (await once(createInterface({ input: child.stdout ?? process.stdin }), 'line')) as [string]
    child.kill('SIGKILL')
    await waitUntil('the entry is gone', () => !isRunning(Number(pid)))
  })

  it("says in a sentence, with a way out, that the packages are another user's and not the right ones", async () => {
    const checkout = mkdtempSync(join(tmpdir(), 'tessera-test-'))
    for (const file of ['core/commands/boot.mjs', 'package.json', 'package-lock.json'])
      cpSync(join(root, file), join(checkout, file))
    const packages = join(checkout, 'node_modules')
    mkdirSync(packages)
    chmodSync(packages, 0o555)
    // Root may write everywhere, unless it has put its rights away.
    const [program = '', ...args] = [
      ...(process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : []),
      process.execPath,
      join(checkout, 'core/commands/boot.mjs'),
      probe,
    ]
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    rmSync(checkout, { recursive: true })
    expect(code).to.equal(1)
    expect(said)
      .to.match(
        /node_modules is not as package-lock.json says, belongs to uid \d+, and cannot be written to by this user/,
      )
      .and.contain('Run `npm ci` as that user')
      .and.not.match(/^ +at /m)
  })
})
