import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { toHex } from 'viem'
import { readNextPlace } from '../../../core/chains/places.ts'
import type { NewTokenOperation } from '../../../core/chains/port.ts'
import { createMints, useChainRig } from '../../support/chains/chain-rig.ts'
import { waitUntil } from '../../support/processes.ts'
import { countChainTransactions } from '../../support/rows/chains/transactions.ts'
import { askSigner, changeIntent, createEnvelope, readSender, type Json } from './requests.ts'

const quick = { idleIntervalMs: 200, lostPlaceDelayMs: 300, maxHoldMs: 800 }

describe('Signer: nonces of transactions that were signed and never stored', () => {
  const rig = useChainRig()
  let application: string
  let senders: { stop(): Promise<void> } | undefined
  const send = () => {
    senders = rig().startSenders(quick)
  }

  afterEach(async () => {
    await senders?.stop()
    senders = undefined
  })
  beforeEach(async () => {
    application = randomUUID()
    await sent(createMints(rig(), 1, `first of ${application}`, application))
  })

  /** Has senders send them, and stops the senders. */
  async function sent(operations: readonly NewTokenOperation[]): Promise<void> {
    const running = rig().startSenders(quick)
    await rig().queueOperations(operations)
    await rig().waitForOutcomes(operations.map(({ id }) => id))
    await running.stop()
  }

  /** Queues mints while no sender runs. @returns them, and what asks for their batch under a nonce behind the next one */
  async function queued(series: string, count: number, of = application) {
    const operations = createMints(rig(), count, `${series} of ${of}`, of)
    await rig().queueOperations(operations)
    const [{ address: contract } = {}] = await rig().chains.listDeployedContracts(rig().db, [of])
    const { account, address } = await readSender(rig())
    const next = await readNextPlace(rig().db, { network: 'EthereumAnvil', address })
    const issuer = await rig().chains.ensureWalletAddress('EthereumAnvil', `issuer:${of}`)
    const intent = (behind: number): Json => ({
      network: 'EthereumAnvil',
      chainId: 31_337,
      account,
      nonce: next + behind,
      gas: '400000',
      fees: { most: '9000000000', tip: '1000000000' },
      act: { kind: 'mintBatch', contract, issuer, tokenIds: operations.map(({ tokenId }) => tokenId).sort() },
    })
    return { operations, intent }
  }

  /** The bytes that the signer gave. */
  async function signed(intent: Json): Promise<string> {
    const { raw, status, text } = await askSigner(rig(), createEnvelope(intent))
    expect(status, text).to.equal(200)
    return toHex(Buffer.from(raw ?? '', 'base64'))
  }

  async function expectMintedOnce(operations: readonly NewTokenOperation[]): Promise<void> {
    const { mints: minted } = await rig().node.countTransfers()
    expect(operations.map(({ tokenId }) => minted.get(tokenId))).to.deep.equal(operations.map(() => 1))
  }

  it('is signed for one nonce, however many are asked for at once', async () => {
    const { operations, intent } = await queued('many', 3)
    const replies = await Promise.all(
      Array.from({ length: 24 }, (_, behind) => askSigner(rig(), createEnvelope(intent(behind)))),
    )
    const codes = replies.map(({ status, code }) => (status === 200 ? 'signed' : code))
    expect(
      codes.filter((one) => one === 'signed'),
      codes.join(' '),
    ).to.have.length(1)
    expect(new Set(codes)).to.deep.equal(new Set(['signed', 'SIGNED_BEFORE']))
    send()
    await rig().waitForOutcomes(operations.map(({ id }) => id))
    await expectMintedOnce(operations)
  })

  it('is sent under a later nonce once something else has used its own, and those bytes do nothing any more', async () => {
    const other = randomUUID()
    await sent(createMints(rig(), 1, `first of ${other}`, other))
    const [one, two] = [await queued('one', 3), await queued('two', 2, other)]
    const kept = [await signed(one.intent(3)), await signed(two.intent(1))]
    send()
    const operations = [...one.operations, ...two.operations]
    const settled = await rig().waitForOutcomes(operations.map(({ id }) => id))
    expect(new Set(settled.map(({ status }) => status))).to.deep.equal(new Set(['final']))
    for (const raw of kept) {
      const refused = await rig()
        .node.callRpc('eth_sendRawTransaction', raw)
        .then(
          () => false,
          () => true,
        )
      expect(refused).to.equal(true)
    }
    await expectMintedOnce(operations)
  })

  it('waits as long as no block has what uses its nonce up', async () => {
    const { operations, intent } = await queued('waiting', 2)
    await signed(intent(1))
    await rig().node.callRpc('evm_setAutomine', false)
    send()
    const fills = () => countChainTransactions(rig().db, { kind: 'fill', status: 'submitted' })
    await waitUntil('its nonce and the one before are filled', async () => (await fills()) === 2)
    expect((await askSigner(rig(), createEnvelope(intent(2)))).code).to.equal('SIGNED_BEFORE')
    await rig().node.callRpc('evm_setAutomine', true)
    await rig().node.callRpc('evm_mine')
    await rig().waitForOutcomes(operations.map(({ id }) => id))
    await expectMintedOnce(operations)
  })

  it('is not minted once more when somebody else has sent those bytes', async () => {
    const { operations, intent } = await queued('stolen', 2)
    const raw = await signed(intent(0))
    await rig().node.callRpc('eth_sendRawTransaction', raw)
    send()
    const settled = await rig().waitForOutcomes(operations.map(({ id }) => id))
    expect(new Set(settled.map(({ reason }) => reason))).to.deep.equal(new Set(['The token was minted before.']))
    await expectMintedOnce(operations)
    const later = createMints(rig(), 1, 'after the theft', application)
    await rig().queueOperations(later)
    expect((await rig().waitForOutcome(later[0]?.id ?? '')).status).to.equal('final')
  })

  it('goes on under its own nonce when nothing has changed', async () => {
    const { operations, intent } = await queued('same', 2)
    await signed(changeIntent(intent(0), { fees: { most: '3000000000', tip: '1' } }))
    send()
    await rig().waitForOutcomes(operations.map(({ id }) => id))
    await expectMintedOnce(operations)
    const fills = await countChainTransactions(rig().db, { kind: 'fill', nonce: intent(0)['nonce'] as number })
    expect(fills).to.equal(0)
  })
})
