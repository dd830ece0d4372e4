import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { expect } from 'chai'
import { privateKeyToAddress } from 'viem/accounts'
import type { NewTokenOperation } from '../../../core/chains/port.ts'
import { listStrandedSenders } from '../../../core/chains/engine/rows/retired-senders.ts'
import {
  type ChainRig,
  createAnchors,
  createClaim,
  createKeyRecords,
  createMints,
  createPoints,
  startChainRig,
  toTokenId,
} from '../../support/chains/chain-rig.ts'
import { startDatabaseServer, type DatabaseServer } from '../../support/database/database-server.ts'
import { startRpcProxy, type RpcProxy } from '../../support/chains/rpc-proxy.ts'
import { assignContract, listSharedContracts, readContractSenders } from '../../support/rows/chains/contracts.ts'

describe('Chain sender with nodes of different abilities', () => {
  let server: DatabaseServer
  let rig: ChainRig
  let proxy: RpcProxy
  let senders: ReturnType<ChainRig['startSenders']>
  const lines: string[] = []
  const keys = ['11', '22'].map((byte) => `0x${byte.repeat(32)}` as const)

  before(async () => {
    server = await startDatabaseServer()
    rig = await startChainRig(server, {
      proxy: async (node) => (proxy = await startRpcProxy(node)),
      env: { ETHEREUM_ANVIL_SENDER_KEYS: keys.join(','), LOG_LEVEL: 'debug' },
      log: new Writable({
        write: (chunk: Buffer, _, done) => {
          lines.push(String(chunk))
          done()
        },
      }),
    })
    senders = rig.startSenders({ resendDelayMs: 300, lostPlaceDelayMs: 300 })
  })
  after(async () => {
    await rig.stop()
    await server.stop()
  })
  afterEach(() => {
    Object.assign(proxy, { delayMs: 0, refusesBatches: false })
  })

  const allOnce = async (operations: readonly NewTokenOperation[]) => {
    const outcomes = await rig.waitForOutcomes(
      operations.map(({ id }) => id),
      40_000,
    )
    expect(new Set(outcomes.map(({ status, times }) => `${status} ${times}`))).to.deep.equal(new Set(['final 1']))
    const { mints: minted } = await rig.node.countTransfers()
    expect(operations.filter(({ tokenId }) => minted.get(tokenId) !== 1)).to.deep.equal([])
  }

  it('shares applications among the configured senders, each contract with one of them', async () => {
    const applications = Array.from({ length: 10 }, () => randomUUID())
    const jobs = applications.flatMap((application, index) => createMints(rig, 2, `shared ${index}`, application))
    await rig.queueOperations(jobs)
    await allOnce(jobs)
    const senders = await readContractSenders(rig.db, applications)
    expect(new Set(senders.values()).size).to.equal(2)
    const more = applications.flatMap((application, index) => createMints(rig, 2, `later ${index}`, application))
    await rig.queueOperations(more)
    await allOnce(more)
    const records = [
      ...createAnchors(rig, 2, 'shared'),
      ...createKeyRecords(randomUUID(), [toTokenId('a'), toTokenId('b')]),
    ]
    await rig.insertRecords(records)
    expect((await rig.waitForRecords(records)).map(({ status }) => status)).to.deep.equal(Array(5).fill('final'))
    const shared = await listSharedContracts(rig.db)
    expect(new Set(shared.map(({ sender }) => sender)).size).to.equal(1)
  })

  it('sends nothing twice when the answers of the node get lost', async () => {
    const application = randomUUID()
    const to = await rig.chains.ensureWalletAddress('EthereumAnvil', 'account:1')
    proxy.loseAnswers('eth_sendRawTransaction', 3)
    proxy.loseAnswers('eth_getTransactionReceipt', 3)
    const lost = createClaim(rig, 'mintTo', toTokenId('lost claim'), to, application)
    const job = [...createMints(rig, 600, 'lost answers', application), lost]
    await rig.queueOperations(job)
    await allOnce(job)
  })

  it('gets on with a node that takes one call a request', async () => {
    proxy.refusesBatches = true
    const job = createMints(rig, 600, 'one by one')
    await rig.queueOperations(job)
    await allOnce(job)
  })

  it('gets on with a node that takes its time', async () => {
    proxy.delayMs = 400
    const job = createMints(rig, 600, 'slow')
    await rig.queueOperations(job)
    await allOnce(job)
  })

  it('tells of operations whose sender is not configured any more, and does them when it is again', async () => {
    const applications = Array.from({ length: 10 }, () => randomUUID())
    const jobs = applications.flatMap((application, index) => createMints(rig, 1, `before ${index}`, application))
    await rig.queueOperations(jobs)
    await allOnce(jobs)
    const account = await rig.chains.ensureWalletAddress('EthereumAnvil', 'account:customer')
    const createPointsOf = (application: string, series: string) =>
      createPoints(rig, `${series} ${application}`, { application, accounts: [account], amounts: [5n] })
    const points = applications.flatMap((application) => createPointsOf(application, 'before'))
    await rig.queuePoints(points)
    await rig.waitForPoints(points)
    const [removed, kept] = keys.map((key) => privateKeyToAddress(key))
    const senderOf = await readContractSenders(rig.db, applications)

    await senders.stop()
    await rig.signer.kill()
    const application = randomUUID()
    const fresh = createMints(rig, 1, 'not deployed', application)
    await rig.queueOperations(fresh)
    await assignContract(rig.db, { application, sender: String(removed) })
    const later = applications.flatMap((application, index) => createMints(rig, 2, `after ${index}`, application))
    await rig.queueOperations(later)
    const laterPoints = applications.flatMap((application) => createPointsOf(application, 'after'))
    await rig.queuePoints(laterPoints)
    const roots = createAnchors(rig, 3, 'after')
    await rig.insertRecords(roots)
    const [stranded, others] = [removed, kept].map((address) =>
      later.filter(({ application }) => senderOf.get(application) === address),
    ) as [NewTokenOperation[], NewTokenOperation[]]
    await rig.signer.start({ ETHEREUM_ANVIL_SENDER_KEYS: keys[1] })
    senders = rig.startSenders({ resendDelayMs: 300, lostPlaceDelayMs: 300 })
    await allOnce([...fresh, ...others])
    expect(await listStrandedSenders(rig.db)).to.deep.equal([
      {
        network: 'EthereumAnvil',
        sender: removed,
        // Two mints and one entry of points wait for each application, which has two contracts, and roots for one.
        contracts: stranded.length + 1,
        operations: stranded.length * 1.5 + 3,
      },
    ])
    expect(
      lines.filter((line) => line.includes('key is not configured') && line.includes(String(removed))),
    ).to.have.length(1)

    await senders.stop()
    await rig.signer.kill()
    await rig.signer.start()
    senders = rig.startSenders({ resendDelayMs: 300, lostPlaceDelayMs: 300 })
    await allOnce(stranded)
    await rig.waitForPoints(laterPoints)
    expect((await rig.waitForRecords(roots)).map(({ status }) => status)).to.deep.equal(Array(3).fill('final'))
    expect(await listStrandedSenders(rig.db)).to.deep.equal([])
  })

  it('writes no key and no address of a node into its log', () => {
    const text = lines.join('')
    expect(text).to.include('a sender waits and starts again')
    for (const secret of [...keys.map((key) => key.slice(2)), 'key-of-the-operator', rig.settings.signerSecret ?? '']) {
      expect(text).to.not.include(secret)
    }
  })
})
