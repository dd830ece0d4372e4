import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { NewTokenOperation, NewChainRecord } from '../../../core/chains/port.ts'
import {
  createAnchors,
  createClaim,
  createKeyRecords,
  createMints,
  toTokenId,
  useChainRig,
} from '../../support/chains/chain-rig.ts'
import { countAnchors } from '../../support/chains/record-contracts.ts'

const rounds = Number(process.env['TEST_KILLS'] ?? 200)

describe('Chain sender killed at random moments', () => {
  const suite = useChainRig()

  it(`has done each operation once after ${rounds} kills, of the node and the whole chain too`, async function () {
    this.timeout(0)
    const rig = suite()
    const applications = [randomUUID(), randomUUID(), randomUUID()]
    const to = await rig.chains.ensureWalletAddress('EthereumAnvil', 'account:survivor')
    const all: NewTokenOperation[] = []
    const records: NewChainRecord[] = []
    for (let round = 0; round < rounds; round++) {
      const application = applications[round % 3] ?? ''
      const batch = createMints(rig, randomInt(1, 700), `round ${round}`, application)
      const singles = Array.from({ length: randomInt(0, 6) }, (_, index) =>
        createClaim(rig, 'mintTo', toTokenId(`claim ${round} ${index}`), to, application),
      )
      const moved = batch
        .slice(0, randomInt(0, 3))
        .map(({ tokenId }) => createClaim(rig, 'transferTo', tokenId, to, application))
      all.push(...batch, ...singles, ...moved)
      const organization = randomUUID()
      const recorded = [
        ...createAnchors({ organization }, randomInt(0, 4), `round ${round}`),
        ...createKeyRecords(organization, [toTokenId(`a ${round}`), toTokenId(`b ${round}`)]).slice(0, randomInt(0, 4)),
      ]
      records.push(...recorded)
      const sender = await rig.startSenderProcess()
      await rig.queueOperations([...batch, ...singles, ...moved])
      await rig.insertRecords(recorded)
      await sleep(randomInt(0, 900))
      if (round % 10 === 7) {
        await rig.node.kill()
        await rig.node.start()
      }
      await sender.kill()
    }
    rig.startSenders()
    const outcomes = await rig.waitForOutcomes(
      all.map(({ id }) => id),
      300_000,
    )
    expect(new Set(outcomes.map(({ status }) => status))).to.deep.equal(new Set(['final']))
    const { mints: minted, moves } = await rig.node.countTransfers()
    const times = (operations: NewTokenOperation[], counts: Map<string, number>) =>
      new Set(operations.map(({ tokenId }) => counts.get(tokenId)))
    const wanted = all.filter(({ kind }) => kind !== 'transferTo')
    expect(times(wanted, minted)).to.deep.equal(new Set([1]))
    expect(
      times(
        all.filter(({ kind }) => kind === 'transferTo'),
        moves,
      ),
    ).to.deep.equal(new Set([1]))
    expect(minted.size).to.equal(wanted.length)
    expect(new Set((await rig.waitForRecords(records)).map(({ status }) => status))).to.deep.equal(new Set(['final']))
    const roots = await countAnchors(rig.node)
    expect(new Set(roots.values())).to.deep.equal(new Set([1]))
    expect(roots.size).to.equal(records.filter(({ kind }) => kind === 'anchor').length)
  })
})
