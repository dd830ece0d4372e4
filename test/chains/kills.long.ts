import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { NewOperation, NewRecord } from '../../core/chains/chain.ts'
import { anchors, claim, keyRecords, mints, tokenOf, useRig } from '../support/chains.ts'
import { anchored } from '../support/records.ts'

const rounds = Number(process.env['TEST_KILLS'] ?? 200)

describe('a sender that is killed at random moments', () => {
  const suite = useRig()

  it(`has done each operation once after ${rounds} kills, of the node and the whole chain too`, async function () {
    this.timeout(0)
    const rig = suite()
    const applications = [randomUUID(), randomUUID(), randomUUID()]
    const to = await rig.chains.address('EthereumAnvil', 'account:survivor')
    const all: NewOperation[] = []
    const records: NewRecord[] = []
    for (let round = 0; round < rounds; round++) {
      const application = applications[round % 3] ?? ''
      const batch = mints(rig, randomInt(1, 700), `round ${round}`, application)
      const singles = Array.from({ length: randomInt(0, 6) }, (_, index) =>
        claim(rig, 'mintTo', tokenOf(`claim ${round} ${index}`), to, application))
      const moved = batch.slice(0, randomInt(0, 3))
        .map(({ tokenId }) => claim(rig, 'transferTo', tokenId, to, application))
      all.push(...batch, ...singles, ...moved)
      const organization = randomUUID()
      const recorded = [...anchors({ organization }, randomInt(0, 4), `round ${round}`),
        ...keyRecords(organization, [tokenOf(`a ${round}`), tokenOf(`b ${round}`)]).slice(0, randomInt(0, 4))]
      records.push(...recorded)
      const sender = await rig.sendInChild()
      await rig.queue([...batch, ...singles, ...moved])
      await rig.record(recorded)
      await sleep(randomInt(0, 900))
      if (round % 10 === 7) {
        await rig.node.kill()
        await rig.node.start()
      }
      await sender.kill()
    }
    rig.send()
    const outcomes = await rig.outcomes(all.map(({ id }) => id), 300_000)
    expect(new Set(outcomes.map(({ status }) => status))).to.deep.equal(new Set(['final']))
    const { mints: minted, moves } = await rig.node.transfers()
    const times = (operations: NewOperation[], counts: Map<string, number>) =>
      new Set(operations.map(({ tokenId }) => counts.get(tokenId)))
    const wanted = all.filter(({ kind }) => kind !== 'transferTo')
    expect(times(wanted, minted)).to.deep.equal(new Set([1]))
    expect(times(all.filter(({ kind }) => kind === 'transferTo'), moves)).to.deep.equal(new Set([1]))
    expect(minted.size).to.equal(wanted.length)
    expect(new Set((await rig.recorded(records)).map(({ status }) => status))).to.deep.equal(new Set(['final']))
    const roots = await anchored(rig.node)
    expect(new Set(roots.values())).to.deep.equal(new Set([1]))
    expect(roots.size).to.equal(records.filter(({ kind }) => kind === 'anchor').length)
  })
})
