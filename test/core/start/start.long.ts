import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import type { DemoAccess } from '../../../core/start/demo.ts'
import { findFreePort } from '../../../core/start/ports.ts'
import { createTestEnvironment } from '../../support/environment.ts'
import { removeFolder, createTemporaryFolder } from '../../support/folders.ts'

const boot = join(import.meta.dirname, '../../../core/commands/boot.mjs')

describe('npm start', () => {
  const dataDir = createTemporaryFolder()
  let first: DemoAccess
  let shown = ''
  let customers: ShownAccount[]
  let running: ChildProcess | undefined
  afterEach(async () => {
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    running.kill('SIGTERM')
    await once(running, 'exit')
  })
  after(() => removeFolder(dataDir))

  /** What is printed at the end of the line that begins so, once it is. */
  async function waitForLine(printed: readonly string[], name: string): Promise<string> {
    const found = () => printed.find((line) => line.trim().startsWith(name))
    const until = Date.now() + 30_000
    while (found() === undefined && Date.now() < until) await setTimeout(50)
    return found()?.trim().slice(name.length).trim() ?? ''
  }

  interface ShownAccount {
    user: { name: string; email: string; phoneNumber: string | null }
    loyalty: { optimisticBalance: string }
    createdAt: string
  }

  async function listAccounts({ api, apiKey, application }: DemoAccess): Promise<ShownAccount[]> {
    const path = `/v1/accounts?filters[application.id][eq]=${application}&pageSize=100`
    const answer = await fetch(`${api}${path}`, { headers: { 'x-api-key': apiKey } })
    const { data } = (await answer.json()) as { data: ShownAccount[] }
    // What is final on the chain may differ from one moment to the next.
    return data.map(({ user, loyalty: { optimisticBalance }, createdAt }) => ({
      user,
      loyalty: { optimisticBalance },
      createdAt,
    }))
  }

  async function start(
    ...args: string[]
  ): Promise<{ child: ChildProcess; printed: string[]; said: string[]; demo: DemoAccess }> {
    const ports = { PORT: `${await findFreePort()}`, BRIDGE_PORT: `${await findFreePort()}` }
    const env = createTestEnvironment({ DATA_DIR: dataDir, LOG_LEVEL: 'info', ...ports })
    const child = spawn(process.execPath, [boot, 'core/start.ts', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    running = child
    const printed: string[] = []
    const said: string[] = []
    createInterface({ input: child.stderr }).on('line', (line) => said.push(line))
    const output = createInterface({ input: child.stdout })
    await new Promise<void>((resolve, reject) => {
      output.on('line', (line) => {
        printed.push(line)
        if (line.includes('Ctrl-C')) resolve()
      })
      output.once('close', () => reject(new Error([...printed, ...said].join('\n'))))
    })
    return { child, printed, said, demo: JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as DemoAccess }
  }

  it('starts everything, prints where it is, and writes the same for programs of this user', async () => {
    const { child, printed, said, demo } = await start()
    first = demo
    const stands = printed.findIndex((line) => line.includes('Ctrl-C'))
    expect(
      printed.slice(0, stands).filter((line) => line.startsWith('{')),
      'lines of the log before the table',
    ).to.deep.equal([])
    expect(Object.keys(demo)).to.have.members([
      'api',
      'docs',
      'console',
      'bridge',
      'outbox',
      'organization',
      'application',
      'apiKey',
      'signIn',
      'chains',
    ])
    expect(statSync(join(dataDir, 'demo.json')).mode & 0o777).to.equal(0o600)
    const table = printed.join('\n')
    for (const value of Object.values(demo).filter((text) => typeof text === 'string')) expect(table).to.contain(value)
    const database = await waitForLine(printed, 'Database in')
    expect(existsSync(join(database, 'cluster/PG_VERSION')), database).to.equal(true)
    expect(realpathSync(join(dataDir, 'postgres'))).to.equal(database)
    const headers = { 'x-api-key': demo.apiKey }
    const answer = await fetch(`${demo.api}/v1/applications/${demo.application}`, { headers })
    expect(answer.status).to.equal(200)
    expect(demo.chains.map(({ network }) => network)).to.deep.equal(['EthereumAnvil'])
    shown = await waitForLine(printed, 'Its page')
    expect(await (await fetch(shown)).text())
      .to.contain('Certified and verified')
      .and.to.contain('class="mark"')
    const led = await fetch(await waitForLine(printed, 'Its Digital Link'), { redirect: 'manual' })
    expect([led.status, led.headers.get('location')]).to.deep.equal([307, shown])
    const credential = (await (await fetch(await waitForLine(printed, 'Its credential'))).json()) as {
      proof?: { cryptosuite: string }
    }
    expect(credential.proof?.cryptosuite).to.equal('eddsa-jcs-2022')
    expect(await waitForLine(printed, 'In the console')).to.equal(`${demo.console}/accounts`)
    customers = await listAccounts(demo)
    expect(customers).to.have.length(20)
    expect(new Set(customers.map(({ user }) => user.name)).size).to.equal(20)
    expect(customers.filter(({ user }) => !user.email.endsWith('@example.com'))).to.deep.equal([])
    expect(customers.filter(({ user }) => user.phoneNumber !== null)).to.have.length(4)
    expect(customers.filter(({ loyalty }) => Number(loyalty.optimisticBalance) <= 0)).to.deep.equal([])
    expect(new Set(customers.map(({ createdAt }) => createdAt.slice(0, 7))).size).to.be.greaterThan(6)
    child.kill('SIGINT')
    expect(await once(child, 'exit')).to.deep.equal([0, null])
    expect(said.join('\n')).to.contain('Stopping: what has begun is finished first')
    expect(
      printed.filter((line) => line.startsWith('{"level":30')),
      'lines of the log, after the table',
    ).to.not.be.empty
  })

  it('finds its data again: the same organization, application, key, passport and customers', async () => {
    const { child, demo, printed } = await start('--quiet')
    const { organization, application, apiKey } = first
    expect(demo).to.include({ organization, application, apiKey })
    const again = await waitForLine(printed, 'Its page')
    expect(new URL(again).pathname).to.equal(new URL(shown).pathname)
    expect(await waitForLine(printed, 'In the console')).to.equal(`${demo.console}/accounts`)
    expect(await listAccounts(demo)).to.deep.equal(customers)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).to.deep.equal([0, null])
    expect(printed.filter((line) => line.startsWith('{'))).to.deep.equal([])
    expect(readFileSync(join(dataDir, 'logs/platform.log'), 'utf8')).to.contain('the API answers')
  })

  it('says in one sentence what setting is wrong, and ends with 1', async () => {
    const env = createTestEnvironment({ DATA_DIR: dataDir, PORT: 'seven' })
    const child = spawn(process.execPath, [boot, 'core/start.ts'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
    const said: string[] = []
    createInterface({ input: child.stderr }).on('line', (line) => said.push(line))
    expect(await once(child, 'close')).to.deep.equal([1, null])
    expect(said).to.deep.equal(['PORT is not allowed: it must be a whole number from 1 to 65535 (TCP port of the API)'])
  })
})
