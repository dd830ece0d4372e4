import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createClaim, createMints, startChainRig, toTokenId, type ChainRig } from '../../support/chains/chain-rig.ts'
import { startDatabaseServer, type DatabaseServer } from '../../support/database/database-server.ts'
import { countChainOperations } from '../../support/rows/chains/operations.ts'
import { countOperationsByState } from '../../../core/chains/engine/rows/operation-states.ts'

describe('Chain sender', () => {
  let server: DatabaseServer
  let rig: ChainRig
  const application = randomUUID()
  const wallet = (name: string) => rig.chains.ensureWalletAddress('EthereumAnvil', name)

  before(async () => {
    server = await startDatabaseServer()
    rig = await startChainRig(server)
    rig.startSenders()
  })
  after(async () => {
    await rig.stop()
    await server.stop()
  })

  const outcome = (operation: string) => rig.waitForOutcome(operation)

  it('mints one token to the issuer of its application', async () => {
    await rig.queueOperations(createMints(rig, 1, 'one', application))
    const { status, owner, contract, hash, at, sender } = await outcome('mint:one:0')
    const issuer = await wallet(`issuer:${application}`)
    expect({ status, owner, sender }).to.deep.equal({ status: 'final', owner: issuer, sender: null })
    expect(at?.getTime()).to.be.closeTo(Date.now(), 60_000)
    const receipt = await rig.node.callRpc<{ to: string; status: string }>('eth_getTransactionReceipt', hash)
    expect([receipt.to, receipt.status]).to.deep.equal([contract?.toLowerCase(), '0x1'])
    expect(await rig.chains.listDeployedContracts(rig.db, [application])).to.deep.equal([
      {
        kind: 'passports',
        application,
        network: 'EthereumAnvil',
        address: contract,
        issuer,
        name: 'Demo collection',
        symbol: 'DEMOCOLL',
      },
    ])
  })

  it('mints 1,200 tokens of one job in three transactions of at most 500', async () => {
    const job = createMints(rig, 1_200, 'many', application)
    await rig.queueOperations(job)
    const many = await rig.waitForOutcomes(job.map(({ id }) => id))
    const sizes = [...Map.groupBy(many, ({ hash }) => hash).values()].map(({ length }) => length)
    expect(sizes.sort()).to.deep.equal([200, 500, 500])
    const { mints: minted } = await rig.node.countTransfers()
    expect(minted.size).to.equal(1_201)
    expect(new Set(minted.values())).to.deep.equal(new Set([1]))
  })

  it('mints a claimed token straight to its claimer', async () => {
    const to = await wallet('account:fresh')
    await rig.queueOperations([createClaim(rig, 'mintTo', toTokenId('fresh'), to, application)])
    const { status, owner, sender } = await outcome(`mintTo:${toTokenId('fresh')}`)
    expect({ status, owner, sender }).to.deep.equal({ status: 'final', owner: to, sender: null })
  })

  it('moves a batch-minted token from the issuer to its claimer', async () => {
    const to = await wallet('account:second')
    await rig.queueOperations([createClaim(rig, 'transferTo', toTokenId('many 777'), to, application)])
    const { status, owner, sender, hash } = await outcome(`transferTo:${toTokenId('many 777')}`)
    const issuer = await wallet(`issuer:${application}`)
    expect({ status, owner, sender }).to.deep.equal({ status: 'final', owner: to, sender: issuer })
    const { gasUsed } = await rig.node.callRpc<{ gasUsed: string }>('eth_getTransactionReceipt', hash)
    expect(Number(gasUsed)).to.be.at.most(90_000)
  })

  it('makes a claim wait for the mint of its token that was queued before', async () => {
    const to = await wallet('account:early')
    const [mint] = createMints(rig, 1, 'early', application)
    if (!mint) throw new Error('unreachable')
    await rig.queueOperations([mint, createClaim(rig, 'transferTo', mint.tokenId, to, application)])
    expect((await outcome(`transferTo:${mint.tokenId}`)).owner).to.equal(to)
  })

  it('sends 60 claims of one moment over several nonces at once', async () => {
    const to = await wallet('account:hall')
    const claims = Array.from({ length: 60 }, (_, index) =>
      createClaim(rig, 'mintTo', toTokenId(`hall ${index}`), to, application),
    )
    await rig.queueOperations(claims)
    const last = await rig.waitForOutcomes(claims.map(({ id }) => id))
    expect(new Set(last.map(({ status, owner }) => `${status} ${owner}`))).to.deep.equal(new Set([`final ${to}`]))
    expect(new Set(last.map(({ hash }) => hash)).size).to.equal(60)
  })

  it('leaves an operation alone that comes a second time', async () => {
    await rig.queueOperations(createMints(rig, 1, 'one', application))
    const count = await countChainOperations(rig.db, { id: 'mint:one:0' })
    expect([count, (await outcome('mint:one:0')).times]).to.deep.equal([1, 1])
  })

  it('fails the mint of a token that exists, and nothing else of its job', async () => {
    const job = createMints(rig, 20, 'mixed', application)
    await rig.queueOperations(job.map((one, index) => (index === 7 ? { ...one, tokenId: toTokenId('one 0') } : one)))
    const all = await rig.waitForOutcomes(job.map(({ id }) => id))
    expect(
      all.filter(({ status }) => status === 'failed').map(({ operation, reason }) => [operation, reason]),
    ).to.deep.equal([['mint:mixed:7', 'The token was minted before.']])
    const { mints: minted } = await rig.node.countTransfers()
    expect(minted.get(toTokenId('one 0'))).to.equal(1)
  })

  it('fails what its contract refuses, with a reason for people', async () => {
    const to = await wallet('account:fresh')
    await rig.queueOperations([
      createClaim(rig, 'transferTo', toTokenId('never minted'), to, application),
      createClaim(rig, 'mintTo', toTokenId('to nobody'), `0x${'0'.repeat(40)}`, application),
      { ...createClaim(rig, 'transferTo', toTokenId('many 777'), to, application), id: 'second transfer' },
    ])
    const reason = async (id: string) => (await outcome(id)).reason
    expect(await reason(`transferTo:${toTokenId('never minted')}`)).to.equal('The token is not held by its issuer.')
    expect(await reason(`mintTo:${toTokenId('to nobody')}`)).to.equal('The receiving address is not valid.')
    expect(await reason('second transfer')).to.equal('The token has left its issuer before.')
  })

  it('gives each application a contract of its own', async () => {
    const others = [randomUUID(), randomUUID()]
    await rig.queueOperations(others.flatMap((other, index) => createMints(rig, 3, `other ${index}`, other)))
    await outcome('mint:other 1:2')
    const found = await rig.chains.listDeployedContracts(rig.db, others)
    expect(new Set(found.map(({ application: of, address }) => `${of} ${address}`)).size).to.equal(2)
    const own = found.find(({ application: of }) => of === others[0])
    expect((await outcome('mint:other 0:0')).contract).to.equal(own?.address)
  })

  it('rolls back with the transaction that queued', async () => {
    const operations = createMints(rig, 1, 'rolled back', application)
    const refused = await rig.db
      .transaction(async (trx) => {
        await rig.chains.queueOperations(trx, 'Demo collection', operations)
        throw new Error('no')
      })
      .catch((cause: Error) => cause.message)
    expect(refused).to.equal('no')
    expect(await rig.hasOperation(operations[0]?.id ?? '')).to.equal(false)
  })

  it('counts operations by state', async () => {
    const count = await countChainOperations(rig.db, { status: 'final' })
    const states = await countOperationsByState(rig.db)
    expect(states.find(({ state }) => state === 'final')).to.deep.equal({
      network: 'EthereumAnvil',
      state: 'final',
      count,
    })
    expect(states.find(({ state }) => state === 'failed')?.count).to.equal(4)
  })
})
