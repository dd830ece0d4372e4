import { expect } from 'chai'
import fc from 'fast-check'
import { encodeFunctionData, zeroAddress, type Address, type Hex } from 'viem'
import { passportsAbi as abi } from '../../../core/chains/evm/contracts/passports.abi.ts'
import { startTestAnvil, type TestAnvil } from '../../support/chains/anvil.ts'
import {
  createAddress,
  deployPassports,
  createTokenIds,
  issuer,
  findRevertName,
  relayer,
  type PassportsContract,
} from '../../support/chains/passport-contract.ts'
import { PassportsModel } from './passports-model.ts'

const people: readonly Address[] = [issuer, createAddress('alice'), createAddress('bob'), createAddress('carol')]
const ids = createTokenIds('model', 40)

/** One call. The ids it is about are settled by numbers taken modulo what there is when it runs. */
const step = fc.record({
  act: fc.constantFrom(
    'mint',
    'mintBatch',
    'mintBatch',
    'mintUnsorted',
    'transfer',
    'transferByOwner',
    'transferByApproved',
    'claim',
    'claim',
    'claimElsewhere',
    'approve',
    'approveByOwner',
    'operator',
  ),
  by: fc.constantFrom(...people),
  from: fc.constantFrom(...people),
  to: fc.constantFrom(...people, ...people, ...people, zeroAddress),
  pick: fc.nat(1_000),
  size: fc.integer({ min: 0, max: 8 }),
  allowed: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** A call as the chain gets it, and the error the model foresees. */
interface Call {
  by: Address
  data: Hex
  foreseen: string | undefined
}

/**
 * Does the step in the model. An id of a batch is never minted a second time here: that the contract does not look for
 * it is the relayer's duty, and stated and tested elsewhere.
 */
function call(model: PassportsModel, { act, by, from, to, pick, size, allowed }: Step): Call {
  const minted = [...model.owners.keys()]
  const fresh = ids.filter((id) => !model.owners.has(id))
  const known = minted[pick % Math.max(minted.length, 1)] ?? ids[0] ?? 0n
  const place = findBatchPlace(model, known)
  const owner = model.ownerOf(known)
  switch (act) {
    case 'mint': {
      const candidates = [...fresh, ...model.minted()]
      const id = candidates[pick % Math.max(candidates.length, 1)]
      if (id === undefined) return approve(model, by, to, known)
      return sent(relayer, encodeFunctionData({ abi, functionName: 'mint', args: [to, id] }), model.mint(to, id))
    }
    case 'mintBatch':
    case 'mintUnsorted': {
      const some = fresh.filter((_, i) => (i + pick) % 3 === 0).slice(0, size)
      const list = act === 'mintBatch' ? some : [...some, ...some.slice(0, 1)]
      const data = encodeFunctionData({ abi, functionName: 'mintBatch', args: [to, list] })
      return sent(relayer, data, model.mintBatch(to, list))
    }
    case 'transfer':
      return transfer(model, by, from, to, known)
    case 'transferByOwner':
      return owner === zeroAddress ? transfer(model, by, from, to, known) : transfer(model, owner, owner, to, known)
    case 'transferByApproved': {
      const id = minted.find((each) => model.getApproved(each) !== zeroAddress)
      return id === undefined
        ? transfer(model, by, from, to, known)
        : transfer(model, model.getApproved(id), model.ownerOf(id), to, id)
    }
    case 'claim':
      return claim(model, to, known, ...place)
    case 'claimElsewhere':
      return claim(model, to, known, place[0] + BigInt(pick % 2), place[1] + BigInt(size % 3))
    case 'approve':
      return approve(model, by, to, known)
    case 'approveByOwner':
      return approve(model, owner === zeroAddress ? by : owner, to, known)
    case 'operator':
      return sent(
        by,
        encodeFunctionData({ abi, functionName: 'setApprovalForAll', args: [to, allowed] }),
        model.setApprovalForAll(by, to, allowed),
      )
  }
}

/** The batch of an id and its index there; the first place of all for one that is in no batch. */
function findBatchPlace({ batches }: PassportsModel, id: bigint): readonly [batch: bigint, index: bigint] {
  const batch = Math.max(
    batches.findIndex((list) => list.includes(id)),
    0,
  )
  const index = Math.max(batches[batch]?.indexOf(id) ?? 0, 0)
  return [BigInt(batch), BigInt(index)]
}

const sent = (by: Address, data: Hex, foreseen: string | undefined): Call => ({ by, data, foreseen })

function transfer(model: PassportsModel, by: Address, from: Address, to: Address, id: bigint): Call {
  const data = encodeFunctionData({ abi, functionName: 'transferFrom', args: [from, to, id] })
  return sent(by, data, model.transferFrom(by, from, to, id))
}

function claim(model: PassportsModel, to: Address, id: bigint, batch: bigint, index: bigint): Call {
  const data = encodeFunctionData({ abi, functionName: 'transferFromBatch', args: [to, id, batch, index] })
  return sent(relayer, data, model.transferFromBatch(to, id, batch, index))
}

function approve(model: PassportsModel, by: Address, to: Address, id: bigint): Call {
  return sent(by, encodeFunctionData({ abi, functionName: 'approve', args: [to, id] }), model.approve(by, to, id))
}

describe('ProductPassports compared with a model', () => {
  let anvil: TestAnvil
  let calls = 0
  let refused = 0

  before(async () => {
    anvil = await startTestAnvil()
    await anvil.fund(...people)
  })
  after(() => anvil.stop())

  async function run({ contract, mined }: PassportsContract, { by: account, data, foreseen }: Call): Promise<void> {
    const to = contract.address
    calls += 1
    if (foreseen === undefined) {
      expect((await mined(anvil.client.sendTransaction({ account, to, data }))).status).to.equal('success')
    } else {
      refused += 1
      expect(await findRevertName(anvil.client.call({ account, to, data }))).to.equal(foreseen)
    }
  }

  /** Owners, balances and approvals are the model's, and the log alone leads to the same owners. */
  async function compare({ contract, deployment }: PassportsContract, model: PassportsModel): Promise<void> {
    const { read } = contract
    for (const person of people) expect(await read.balanceOf([person])).to.equal(model.balanceOf(person))
    for (const id of ids) {
      if (model.ownerOf(id) === zeroAddress) {
        expect(await findRevertName(read.ownerOf([id]))).to.equal('ERC721NonexistentToken')
      } else {
        expect(await read.ownerOf([id])).to.equal(model.ownerOf(id))
        expect(await read.getApproved([id])).to.equal(model.getApproved(id))
      }
    }
    const { address, abi } = contract
    const fromBlock = deployment.blockNumber
    const log = await anvil.client.getContractEvents({ address, abi, eventName: 'Transfer', fromBlock, strict: true })
    expect(log.map(({ args }) => [args.from, args.to, args.tokenId])).to.deep.equal(model.moves)
    const replayed = new Map<bigint, Address>()
    for (const {
      args: { from, to, tokenId },
    } of log) {
      expect(replayed.get(tokenId) ?? zeroAddress).to.equal(from)
      replayed.set(tokenId, to)
    }
    expect([...replayed]).to.have.deep.members([...model.owners])
  }

  it('agrees on every answer after random calls, refused ones among them', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      const passports = await deployPassports(anvil)
      const model = new PassportsModel()
      for (const each of steps) await run(passports, call(model, each))
      await compare(passports, model)
    })
    await fc.assert(property, { seed: 721, numRuns: 40 })
    console.log(`      ${calls} calls, ${refused} of them refused`)
    expect(refused).to.be.within(calls / 10, calls / 2)
  })

  it('agrees on every answer when the calls cross the limit of batches', async () => {
    const passports = await deployPassports(anvil)
    const model = new PassportsModel()
    const before = createTokenIds('before the limit', 1_998)
    await passports.mintOneByOne(before)
    for (const id of before) model.mintBatch(issuer, [id])
    const isAtLimit = ({ foreseen }: Call) => foreseen === 'BatchLimitReached'
    const steps = fc.sample(fc.array(step, { minLength: 60, maxLength: 60 }), { seed: 2_000, numRuns: 1 }).flat()
    const made: Call[] = []
    for (const each of steps) {
      const next = call(model, each)
      made.push(next)
      await run(passports, next)
    }
    await compare(passports, model)
    expect(model.batches.length).to.equal(2_000)
    expect(made.filter(isAtLimit).length).to.be.at.least(3)
  })
})
