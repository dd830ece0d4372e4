import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { readNextPlace } from '../../../core/chains/places.ts'
import { createClaim, createMints, toTokenId, useChainRig } from '../../support/chains/chain-rig.ts'
import { deleteFurtherContracts, insertWantedContract } from '../../support/rows/chains/contracts.ts'
import { deleteChainOperations } from '../../support/rows/chains/operations.ts'
import { askSigner, createEnvelope, readSender, type Json, type SenderWallet } from './requests.ts'

describe('Signer: POST /sign for an application with several contracts', () => {
  const rig = useChainRig({ env: { PASSPORT_BATCHES_PER_CONTRACT: '2' } })
  const application = randomUUID()
  let sender: SenderWallet

  const addressOf = async (part: number) =>
    (await rig().chains.listDeployedContracts(rig().db, [application]))[part]?.address
  const requestFor = async (act: Json, gas = '400000', ahead = 0) => {
    const nonce = await readNextPlace(rig().db, { network: 'EthereumAnvil', address: sender.address })
    const fees = { most: '3000000000', tip: '1000000000' }
    return askSigner(
      rig(),
      createEnvelope({
        network: 'EthereumAnvil',
        chainId: 31_337,
        account: sender.account,
        nonce: nonce + ahead,
        gas,
        fees,
        act,
      }),
    )
  }
  const deployment = async () =>
    requestFor(
      {
        kind: 'deploy',
        contract: {
          kind: 'passports',
          application,
          name: 'Demo collection',
          symbol: 'DEMOCOLL',
          baseUri: `${rig().settings.publicUrl}/t/`,
          issuer: await rig().chains.ensureWalletAddress('EthereumAnvil', `issuer:${application}`),
        },
      },
      '4000000',
    )
  /** A row as the sender writes it when a contract is full. */
  const want = (part: number) =>
    insertWantedContract(rig().db, {
      application,
      network: 'EthereumAnvil',
      kind: 'passports',
      name: 'Demo collection',
      symbol: 'DEMOCOLL',
      sender: sender.address,
      part,
    })
  const forget = () => deleteFurtherContracts(rig().db, application)
  const mint = async (series: string) => {
    const job = createMints(rig(), 3, series, application)
    await rig().queueOperations(job)
    return rig().waitForOutcomes(job.map(({ id }) => id))
  }

  before(async () => {
    sender = await readSender(rig())
    const senders = rig().startSenders()
    await mint('one')
    await senders.stop()
  })

  it('signs no further contract before the one before has all its batches, whatever the tables say', async () => {
    for (const part of [1, 2]) {
      await want(part)
      const { status, code } = await deployment()
      expect([part, status, code]).to.deep.equal([part, 403, 'DEPLOYMENT'])
      await forget()
    }
  })

  it('leaves the claims of the contract that is there going while a further one is refused', async () => {
    await want(1)
    const senders = rig().startSenders()
    const to = await rig().chains.ensureWalletAddress('EthereumAnvil', 'account:1')
    const claims = [
      createClaim(rig(), 'transferTo', toTokenId('one 0'), to, application),
      createClaim(rig(), 'mintTo', toTokenId('fresh'), to, application),
    ]
    await rig().queueOperations(claims)
    const settled = await rig().waitForOutcomes(claims.map(({ id }) => id))
    expect(settled.map(({ status, contract }) => `${status} ${contract}`)).to.deep.equal(
      Array(2).fill(`final ${await addressOf(0)}`),
    )
    await senders.stop()
    await forget()
  })

  it('signs the further contract when it is due, then mints in that one only, and nothing that it signed for the one before', async () => {
    const to = await rig().chains.ensureWalletAddress('EthereumAnvil', 'account:1')
    const early = createClaim(rig(), 'mintTo', toTokenId('early'), to, application)
    const mintEarly = async (part: number) => ({
      kind: 'mint',
      contract: await addressOf(part),
      to,
      tokenId: early.tokenId,
    })
    await rig().queueOperations([early])
    expect((await requestFor(await mintEarly(0), '400000', 40)).status).to.equal(200)
    await deleteChainOperations(rig().db, [early.id])
    const senders = rig().startSenders()
    await mint('two')
    await mint('three')
    await senders.stop()
    await rig().queueOperations([early])
    expect((await requestFor(await mintEarly(1))).code).to.equal('SIGNED_BEFORE')
    const issuer = await rig().chains.ensureWalletAddress('EthereumAnvil', `issuer:${application}`)
    const queued = createMints(rig(), 2, 'four', application)
    await rig().queueOperations([
      ...queued,
      createClaim(rig(), 'mintTo', toTokenId('direct'), to, application),
      createClaim(rig(), 'transferTo', toTokenId('one 1'), to, application),
    ])
    const tokenIds = queued.map(({ tokenId }) => tokenId).sort()
    const answers = await Promise.all(
      [0, 1].map(async (part) => {
        const contract = await addressOf(part)
        const batch = await requestFor({ kind: 'mintBatch', contract, issuer, tokenIds })
        const single = await requestFor({ kind: 'mint', contract, to, tokenId: toTokenId('direct') })
        return [batch, single].map(({ status, code }) => `${status} ${code}`)
      }),
    )
    expect(answers).to.deep.equal([
      ['403 CONTRACT', '403 CONTRACT'],
      ['200 ', '200 '],
    ])
    const move = { kind: 'transfer', contract: await addressOf(0), to, tokenId: toTokenId('one 1'), batch: 0, index: 0 }
    expect((await requestFor(move)).status).to.equal(200)
    expect((await deployment()).code).to.equal('NOT_JUSTIFIED')
  })
})
