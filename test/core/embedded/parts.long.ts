import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createClient } from 'redis'
import { startAnvil } from '../../../core/embedded/anvil.ts'
import { preparePostgresBinaries } from '../../../core/embedded/postgres/postgres.binaries.ts'
import { readCluster } from '../../../core/embedded/postgres/postgres.cluster.ts'
import { createPostgresUrl } from '../../../core/embedded/postgres/postgres.roles.ts'
import { startPostgres } from '../../../core/embedded/postgres/postgres.ts'
import { startRedis } from '../../../core/embedded/redis.ts'
import { callRpc } from '../../../core/embedded/rpc.ts'
import { spawnTied } from '../../../core/embedded/tied-process.ts'
import { findFreePort } from '../../../core/start/ports.ts'
import { listWriterPids } from '../../support/embedded/background-processes.ts'
import {
  assertAnswers,
  createKeptNumbers,
  createSignerSecret,
  insertKeptNumber,
  listKeptNumbers,
  listSignerSecrets,
} from '../../support/embedded/kept-numbers.ts'
import { removeFolder, createTemporaryFolder } from '../../support/folders.ts'
import { waitUntil, isRunning } from '../../support/processes.ts'

const giveUp = (cause: Error) => {
  throw cause
}

async function killed(part: { readonly pid: number | undefined; ready(): Promise<void> }): Promise<void> {
  const before = part.pid ?? 0
  process.kill(before, 'SIGKILL')
  await waitUntil('another process runs', () => part.pid !== undefined && part.pid !== before)
  await part.ready()
}

describe('Embedded PostgreSQL', () => {
  const dataDir = createTemporaryFolder()
  after(() => removeFolder(dataDir))

  it('keeps what was committed over kill -9 and over a stop, at the same address while it lives', async () => {
    const first = await startPostgres({ dataDir, giveUp })
    await createKeptNumbers(first.url)
    await killed(first)
    expect(await insertKeptNumber(first.url, 2)).to.equal(2)
    await first.stop()
    const second = await startPostgres({ dataDir, giveUp })
    expect(await listKeptNumbers(second.url)).to.deep.equal([1, 2])
    await second.stop()
  })

  it('comes back from one kill and from a second one although processes that it leaves hold its memory', async () => {
    const server = await startPostgres({ dataDir, giveUp })
    for (let kill = 1; kill <= 2; kill++) {
      const orphans = await listWriterPids({ dataDir, url: server.url })
      expect(orphans).to.have.length(2)
      // As one that hangs in a checkpoint: it does not see that its server is gone.
      for (const pid of orphans) process.kill(pid, 'SIGSTOP')
      await killed(server)
      expect(orphans.filter(isRunning)).to.deep.equal([])
    }
    expect(await listKeptNumbers(server.url)).to.have.length(2)
    await server.stop()
  })

  it('shows the signer its own schema, and nobody else', async () => {
    const server = await startPostgres({ dataDir, giveUp })
    await createSignerSecret(server.signerUrl, 42)
    expect(await listSignerSecrets(server.signerUrl)).to.deep.equal([42])
    const refused = await listSignerSecrets(server.url).catch((cause: Error) => cause.message)
    expect(refused).to.equal('permission denied for schema signer')
    const foreign = await listKeptNumbers(server.signerUrl).catch((cause: Error) => cause.message)
    expect(foreign).to.equal('permission denied for table kept')
    await server.stop()
  })

  it('lets nobody in without the password', async () => {
    const server = await startPostgres({ dataDir, giveUp })
    const without = Object.assign(new URL(server.url), { password: '' }).href
    const refused = await assertAnswers(without).catch((cause: Error) => cause.message)
    expect(refused).to.match(/password/)
    await server.stop()
  })

  it('is not stopped by a postmaster.pid that names some other program', async () => {
    writeFileSync(join(readCluster(dataDir).data, 'postmaster.pid'), `${process.pid}\n`)
    const server = await startPostgres({ dataDir, giveUp })
    expect(await listKeptNumbers(server.url)).to.have.length(2)
    await server.stop()
  })

  it('takes the place of a server that lost its parent and still runs on the data', async () => {
    const cluster = readCluster(dataDir)
    const port = await findFreePort()
    const server = join(await preparePostgresBinaries(), 'bin/postgres')
    const orphan = spawnTied(
      [server, '-D', cluster.data, '-p', `${port}`, '-c', 'unix_socket_directories='],
      { signal: 'SIGINT', ...(cluster.as ? { as: cluster.as } : {}) },
      { cwd: '/', stdio: 'ignore' },
    )
    const url = createPostgresUrl('tessera', cluster.record.tessera, port)
    await waitUntil('the orphan serves', () =>
      assertAnswers(url).then(
        () => true,
        () => false,
      ),
    )
    const heir = await startPostgres({ dataDir, giveUp })
    expect(isRunning(orphan.pid ?? 0)).to.equal(false)
    expect(await listKeptNumbers(heir.url)).to.have.length(2)
    await heir.stop()
  })
})

describe('Embedded Redis', () => {
  const dataDir = createTemporaryFolder()
  after(() => removeFolder(dataDir))

  it('keeps what it accepted a second ago over kill -9, at the same address, behind its password', async () => {
    const server = await startRedis({
      dataDir,
      giveUp,
      warn: (message) => {
        throw new Error(message)
      },
    })
    if (!server) throw new Error('no Redis')
    const client = createClient({ url: server.url })
    client.on('error', () => undefined)
    await client.connect()
    await client.set('kept', 'yes')
    await client.sendCommand(['WAITAOF', '1', '0', '2000']).catch(() => sleep(1200))
    await killed(server)
    await waitUntil('the client is back', async () => (await client.get('kept')) === 'yes')
    await client.close()
    const stranger = createClient({ url: server.url.replace(/:[^:@]*@/, ''), socket: { reconnectStrategy: false } })
    stranger.on('error', () => undefined)
    const refused = await stranger.connect().catch((cause: Error) => cause.message)
    expect(refused).to.match(/NOAUTH/)
    await server.stop()
  })
})

describe('Embedded development chain (anvil)', () => {
  const dataDir = createTemporaryFolder()
  const warnings: string[] = []
  const start = () => startAnvil({ dataDir, giveUp, warn: (message) => warnings.push(message) })
  after(() => removeFolder(dataDir))

  async function pay(url: string): Promise<void> {
    const [from, to] = await callRpc<string[]>(url, 'eth_accounts', [])
    const hash = await callRpc<string>(url, 'eth_sendTransaction', [{ from, to, value: '0x1' }])
    await waitUntil('it is mined', async () => (await callRpc(url, 'eth_getTransactionReceipt', [hash])) !== null)
  }
  const height = async (url: string) => Number(await callRpc<string>(url, 'eth_blockNumber', []))
  function savedHeight(): number {
    const file = join(dataDir, 'anvil/state.json')
    if (!existsSync(file)) return -1
    return Number((JSON.parse(readFileSync(file, 'utf8')) as { best_block_number: string }).best_block_number)
  }

  it('loses nothing that is older than 5 s when it is killed with -9, and nothing when it is stopped', async () => {
    const chain = await start()
    await pay(chain.url)
    await waitUntil('the state is saved', () => savedHeight() === 1)
    await killed(chain)
    expect(await height(chain.url)).to.equal(1)
    await pay(chain.url)
    await chain.stop()
    const again = await start()
    expect(await height(again.url)).to.equal(2)
    await again.stop()
  })

  it('goes on from the state before when the newest is cut or is no state', async () => {
    truncateSync(join(dataDir, 'anvil/exit.json'), 3000)
    const chain = await start()
    expect(await height(chain.url)).to.equal(1)
    await chain.stop()
    writeFileSync(join(dataDir, 'anvil/exit.json'), '{"accounts": 5}')
    const again = await start()
    expect(await height(again.url)).to.equal(1)
    await again.stop()
    expect(warnings.join()).to.contain('exit.json does not load')
  })

  it('has one first block for ever, and blocks of the present time', async () => {
    const firstBlocks = new Set<string>()
    for (let starts = 0; starts < 4; starts++) {
      const chain = await start()
      await pay(chain.url)
      const block = (number: string) =>
        callRpc<Record<string, string>>(chain.url, 'eth_getBlockByNumber', [number, false])
      const [zero, one, latest] = await Promise.all(['0x0', '0x1', 'latest'].map(block))
      firstBlocks.add(zero?.['hash'] ?? '').add(one?.['parentHash'] ?? '')
      expect(Number(latest?.['timestamp']) * 1000).to.be.closeTo(Date.now(), 30_000)
      await chain.stop()
    }
    expect(firstBlocks.size).to.equal(1)
  })

  it('refuses a transaction that no real network would take', async () => {
    const chain = await start()
    const [from, to] = await callRpc<string[]>(chain.url, 'eth_accounts', [])
    const refused = await callRpc(chain.url, 'eth_sendTransaction', [
      { from, to, gas: `0x${(2 ** 24 + 1).toString(16)}` },
    ]).catch((cause: Error) => cause.message)
    expect(refused).to.match(/gas/)
    await chain.stop()
  })
})
