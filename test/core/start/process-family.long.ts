import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { runPlatform, type ChildName } from '../../../core/start/platform.ts'
import { findFreePort } from '../../../core/start/ports.ts'
import { findChildAddress, obedientPlatform } from '../../support/children/obedient-platform.ts'
import { createTestEnvironment } from '../../support/environment.ts'
import { removeFolder, createTemporaryFolder } from '../../support/folders.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { waitUntil, isRunning } from '../../support/processes.ts'

const environmentOf = async (running: OwnPlatform, name: ChildName) => {
  const answer = await fetch(findChildAddress(running.lines, name))
  return ((await answer.json()) as { env: string[] }).env
}

describe('npm start: the process family', () => {
  const dataDir = createTemporaryFolder()
  let running: OwnPlatform
  let gaveUp: Error | undefined
  before(async () => {
    const giveUp = (cause: Error) => {
      gaveUp = cause
    }
    running = await startPlatform({
      ...obedientPlatform,
      dataDir,
      giveUp,
      keeperDelays: { maxMs: 500 },
      faults: { worker: 'some.point' },
    })
  })
  after(async () => {
    await running.stop()
    await removeFolder(dataDir)
  })

  it('refuses a second start on the same folder by its name, and goes on', async () => {
    const refused = await startPlatform({ ...obedientPlatform, dataDir }).catch((cause: Error) => cause.message)
    expect(refused).to.match(new RegExp(`^DATA_DIR ${dataDir} is in use by process ${process.pid}`))
    expect(await environmentOf(running, 'server')).to.include('DATABASE_URL')
  })

  it("gives each process what it needs: the bridge no secret, the signer none of the API's", async () => {
    expect(await environmentOf(running, 'bridge'))
      .to.include('API_URL')
      .and.not.include.members(['DATABASE_URL'])
      .and.not.include.members(['KEY_ENCRYPTION_KEY'])
    expect(await environmentOf(running, 'signer'))
      .to.include.members(['SIGNER_SECRET', 'SIGNER_KEY_ENCRYPTION_KEY'])
      .and.not.include.members(['KEY_ENCRYPTION_KEY'])
      .and.not.include.members(['SESSION_SECRET'])
  })

  it('arms a fault for the first launch of a process only', async () => {
    expect(await environmentOf(running, 'worker')).to.include('TESSERA_FAULT')
    const before = running.children.worker.pid ?? 0
    process.kill(before, 'SIGKILL')
    await waitUntil('another worker runs', () => ![undefined, before].includes(running.children.worker.pid))
    await running.children.worker.ready()
    expect(await environmentOf(running, 'worker')).to.not.include('TESSERA_FAULT')
  })

  it('starts a process again however often it dies in a minute, when it had served', async () => {
    for (let death = 1; death <= 6; death++) {
      const dead = running.children.server.pid
      await fetch(`${findChildAddress(running.lines, 'server')}/die`).catch(() => undefined)
      await waitUntil('another server runs', () => ![undefined, dead].includes(running.children.server.pid), 15_000)
      await running.children.server.ready()
    }
    expect(await environmentOf(running, 'server')).to.include('DATABASE_URL')
    expect(gaveUp).to.equal(undefined)
  }).timeout(120_000)
})

describe('npm start: a process killed during its very first start', () => {
  it('is started again, the bridge too, before the platform is ready', async () => {
    const running = await startPlatform({
      ...obedientPlatform,
      faults: { bridge: 'obedient.starts', server: 'obedient.starts' },
    })
    expect(await environmentOf(running, 'bridge'))
      .to.include('API_URL')
      .and.not.include('TESSERA_FAULT')
    expect(await environmentOf(running, 'server'))
      .to.include('DATABASE_URL')
      .and.not.include('TESSERA_FAULT')
    await running.stop()
  })
})

describe('npm start: a platform that cannot start', () => {
  it('names the variable of a port that is taken, and leaves nothing running', async () => {
    const dataDir = createTemporaryFolder()
    const squatter = createServer().listen(0, '127.0.0.1')
    await once(squatter, 'listening')
    const { port } = squatter.address() as { port: number }
    const options = { onLine: () => undefined, warn: () => undefined, giveUp: () => undefined, ...obedientPlatform }
    const env = createTestEnvironment({ DATA_DIR: dataDir, BRIDGE_PORT: `${port}`, PORT: `${await findFreePort()}` })
    const refused = await runPlatform({ ...options, env }).catch((cause: Error) => cause.message)
    expect(refused).to.match(new RegExp(`^BRIDGE_PORT ${port} is taken`))
    squatter.close()
  })

  it('stops what it had started, and can be started on the same folder afterwards', async () => {
    const dataDir = createTemporaryFolder()
    const broken = { ...obedientPlatform.entries, bridge: 'test/support/children/absent.ts' }
    const failing = startPlatform({ ...obedientPlatform, entries: broken, dataDir })
    const said = await failing.catch((cause: Error) => cause.message)
    expect(said)
      .to.match(/^bridge ended with code 1\n/)
      .and.contain('absent.ts')
    const running = await startPlatform({ ...obedientPlatform, dataDir })
    await running.stop()
    await removeFolder(dataDir)
  })
})

describe('npm start: the parent process killed with -9', () => {
  it('takes every process along, also one that hangs, and the next start finds the folder free', async () => {
    const dataDir = createTemporaryFolder()
    const first = await launchParent(dataDir)
    first.parent.kill('SIGKILL')
    await waitUntil('all are gone', () => !first.pids.some(isRunning), 15_000)
    expect(first.pids).to.have.length.greaterThan(5)
    const second = await launchParent(dataDir)
    second.parent.kill('SIGKILL')
    await waitUntil('all are gone', () => !second.pids.some(isRunning), 15_000)
    await removeFolder(dataDir)
  })
})

async function launchParent(dataDir: string): Promise<{ parent: ChildProcess; pids: number[] }> {
  const script = join(import.meta.dirname, '../../support/children/parent.ts')
  const parent = spawn(process.execPath, [script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string]
  const pids = JSON.parse(line) as number[]
  expect(pids.every(isRunning)).to.equal(true)
  for (const pid of pids) expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).to.not.equal('')
  return { parent, pids }
}
