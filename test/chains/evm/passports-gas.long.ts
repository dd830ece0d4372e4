import { expect } from 'chai'
import {
  encodeFunctionData,
  encodePacked,
  getContractAddress,
  pad,
  toHex,
  type Hex,
  type TransactionReceipt,
} from 'viem'
import { passportsAbi } from '../../../core/chains/evm/contracts/passports.abi.ts'
import { keepFigures } from '../../figures/keep-figures.ts'
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
import { deployPoints } from '../../support/chains/points-contract.ts'
import { deployAnchors, deployKeys, toOrganizationWord } from '../../support/chains/record-contracts.ts'

/** The most gas a transaction may have: EIP-7825. */
const transactionLimit = 16_777_216n

const measured: { what: string; gas: number; limit: number }[] = []

/** Prints a measured value and holds it to its limit. `FIGURES=1 npm run test:long -- test/chains/evm/passports-gas` keeps them all. */
function hold(what: string, gas: bigint, limit: bigint): void {
  measured.push({ what, gas: Number(gas), limit: Number(limit) })
  console.log(`      ${what}: ${gas.toLocaleString('en')} (limit ${limit.toLocaleString('en')})`)
  expect(gas <= limit, `${what}: ${gas} > ${limit}`).to.equal(true)
}

function gas({ gasUsed, status }: TransactionReceipt): bigint {
  expect(status).to.equal('success')
  return gasUsed
}

let anvil: TestAnvil
before(async () => {
  anvil = await startTestAnvil()
})
after(async () => {
  await anvil.stop()
  if (process.env['FIGURES'])
    keepFigures('speed/gas', { command: 'FIGURES=1 npm run test:long -- test/chains/evm/passports-gas', measured })
})

describe('ProductPassports: gas of whole transactions', () => {
  let passports: PassportsContract

  beforeEach(async () => {
    passports = await deployPassports(anvil)
  })

  /**
   * Puts batches with these ids behind the minted ones, as code, counter and nonce would be after minting them: 2,000
   * transactions of 500 take a minute and a half, this a few seconds. The counter is above relayer and pause in slot 8.
   */
  async function place(batches: number, ids: bigint[]): Promise<void> {
    const { address, read } = passports.contract
    const minted = Number(await read.batchCount())
    const bytecode = encodePacked(['bytes1', 'address', 'uint256[]'], ['0x00', issuer, ids])
    for (let nonce = minted + 1; nonce <= minted + batches; nonce += 1) {
      await anvil.client.setCode({ address: getContractAddress({ from: address, nonce: BigInt(nonce) }), bytecode })
    }
    const word = BigInt((await anvil.client.getStorageAt({ address, slot: toHex(8) })) ?? 0) + (BigInt(batches) << 168n)
    await anvil.client.setStorageAt({ address, index: 8, value: pad(toHex(word)) })
    await anvil.client.setNonce({ address, nonce: minted + batches + 1 })
    expect(await read.batchCount()).to.equal(BigInt(minted + batches))
  }

  it('deploys within the limit of a transaction', () => {
    hold('deployment', gas(passports.deployment), transactionLimit)
  })

  it('mints a batch of 500 for at most 9,200 a token, the first and a later one', async () => {
    hold('gas a token at 500, first batch', gas(await passports.mintBatch(createTokenIds('a', 500))) / 500n, 9_200n)
    hold('gas a token at 500, second batch', gas(await passports.mintBatch(createTokenIds('b', 500))) / 500n, 9_200n)
  })

  it('mints the largest batch, 767, below the limit of a transaction', async () => {
    hold('batch of 767', gas(await passports.mintBatch(createTokenIds('a', 767))), transactionLimit)
  })

  it('mints a fresh passport to a fresh address for at most 72,000', async () => {
    const [first, second] = createTokenIds('claim', 2) as [bigint, bigint]
    hold('claim of a fresh passport', gas(await passports.mint(createAddress('first'), first)), 72_000n)
    await passports.mintBatch(createTokenIds('a', 500))
    hold(
      'claim of a fresh passport beside a batch',
      gas(await passports.mint(createAddress('second'), second)),
      72_000n,
    )
  })

  for (const batches of [1, 20]) {
    it(`transfers a batch-minted passport to a fresh address for at most 90,000 with ${batches} of 500`, async () => {
      for (let batch = 0; batch < batches; batch += 1) await passports.mintBatch(createTokenIds(`batch ${batch}`, 500))
      const id = createTokenIds(`batch ${batches - 1}`, 500)[499] ?? 0n
      const claim = await passports.transferFromBatch(createAddress('claimer'), id, batches - 1, 499)
      hold(`claim out of a batch, ${batches} of 500`, gas(claim), 90_000n)
      expect(await passports.contract.read.ownerOf([id])).to.equal(createAddress('claimer'))
    })
  }

  it('transfers a batch-minted passport to a fresh address for at most 90,000 with 2,000 of 1', async () => {
    const ids = createTokenIds('small', 2_000)
    await passports.mintOneByOne(ids)
    for (const batch of [0, 999, 1_999]) {
      const claim = await passports.transferFromBatch(createAddress(`claimer ${batch}`), ids[batch] ?? 0n, batch, 0)
      hold(`claim out of batch ${batch}, 2,000 of 1`, gas(claim), 90_000n)
    }
    expect(await passports.contract.read.ownerOf([ids[1_999] ?? 0n])).to.equal(createAddress('claimer 1999'))
    expect(await passports.contract.read.balanceOf([issuer])).to.equal(1_997n)
  })

  it('finds the owner among 2,000 batches of 500, and transfers plainly, within a transaction', async () => {
    const { contract, mined } = passports
    await passports.mintBatch(createTokenIds('first', 500))
    await place(1_998, createTokenIds('elsewhere', 500))
    const ids = createTokenIds('last', 500)
    await passports.mintBatch(ids)
    const [sought, moved] = [ids[499] ?? 0n, ids[498] ?? 0n]
    const search = encodeFunctionData({ abi: passportsAbi, functionName: 'ownerOf', args: [sought] })
    const cost = await anvil.client.estimateGas({ to: contract.address, data: search })
    hold('ownerOf, last of 2,000 of 500', cost, transactionLimit)
    const found = await anvil.client.call({ to: contract.address, data: search, gas: transactionLimit })
    expect(found.data).to.equal(pad(issuer).toLowerCase())
    expect(await contract.read.locate([sought])).to.deep.equal([1_999n, 499n])
    const claim = await passports.transferFromBatch(createAddress('claimer'), sought, 1_999, 499)
    hold('claim out of a batch, 2,000 of 500', gas(claim), 90_000n)
    const plain = await mined(contract.write.transferFrom([issuer, createAddress('other'), moved], { account: issuer }))
    hold('plain transferFrom, 2,000 of 500', gas(plain), transactionLimit)
  })

  it('finds the owner at the limit of batches, all of the largest size, within a transaction', async () => {
    const { contract } = passports
    await passports.mintBatch(createTokenIds('first', 767))
    await place(1_998, createTokenIds('elsewhere', 767))
    const ids = createTokenIds('last', 767)
    await passports.mintBatch(ids)
    expect(await contract.read.batchCount()).to.equal(await contract.read.MAX_BATCHES())
    const search = encodeFunctionData({ abi: passportsAbi, functionName: 'ownerOf', args: [ids[766] ?? 0n] })
    const cost = await anvil.client.estimateGas({ to: contract.address, data: search })
    hold('ownerOf at the limit, last of 2,000 of 767', cost, transactionLimit)
    // That a token is nowhere is told after the whole search too.
    const data = encodeFunctionData({
      abi: passportsAbi,
      functionName: 'ownerOf',
      args: [createTokenIds('nowhere', 1)[0] ?? 0n],
    })
    expect(await findRevertName(anvil.client.call({ to: contract.address, data, gas: transactionLimit }))).to.equal(
      'ERC721NonexistentToken',
    )
  })

  it('gathers claims in one transaction, each for less than it costs alone', async () => {
    const ids = createTokenIds('a', 500)
    await passports.mintBatch(ids)
    const calls = ids.slice(0, 100).map((id, index) => {
      const args = [createAddress(`claimer ${index}`), id, 0n, BigInt(index)] as const
      return encodeFunctionData({ abi: passportsAbi, functionName: 'transferFromBatch', args })
    })
    const together = await passports.mined(passports.contract.write.multicall([calls], { account: relayer }))
    hold('claim out of a batch, 100 together', gas(together) / 100n, 72_000n)
  })
})

describe('CertificateAnchors and CertificationKeys: gas of whole transactions', () => {
  it('anchors a root for at most 50,000, and several for less', async () => {
    const { anchor, anchorMany, deployment } = await deployAnchors(anvil)
    hold('deployment of CertificateAnchors', gas(deployment), transactionLimit)
    const roots = createTokenIds('root', 103).map((id) => toHex(id, { size: 32 }))
    hold('anchor of a root, the first', gas(await anchor(roots[0] ?? '0x')), 50_000n)
    // No zero byte: the most that the data of a call costs.
    hold('anchor of a root, a later one', gas(await anchor(`0x${'ab'.repeat(32)}`)), 50_000n)
    hold('anchor of a root that is there', gas(await anchor(roots[0] ?? '0x')), 30_000n)
    hold('anchor of a root, 100 together', gas(await anchorMany(roots.slice(1, 101))) / 100n, 30_000n)
  })

  it('registers, rotates and revokes a key for at most 80,000', async () => {
    const { register, rotate, revoke, deployment } = await deployKeys(anvil)
    hold('deployment of CertificationKeys', gas(deployment), transactionLimit)
    const organization = toOrganizationWord('01890a5d-ac96-774b-bcce-b302099a8057')
    const [first, second] = createTokenIds('key', 2).map((id) => toHex(id, { size: 32 })) as [Hex, Hex]
    hold('registration of a key', gas(await register(organization, first)), 80_000n)
    hold('rotation of a key', gas(await rotate(organization, second, first)), 80_000n)
    hold('revocation of a key', gas(await revoke(organization, first, 1_700_000_000)), 80_000n)
  })
})

describe('LoyaltyPoints: gas of whole transactions', () => {
  /** Creates entries of 100 points or of -1, of accounts with these names. */
  const createEntries = (series: string, names: readonly string[], amount = 100n) =>
    createTokenIds(series, names.length).map((id, index) => ({
      operation: toHex(id, { size: 32 }),
      account: createAddress(names[index] ?? ''),
      amount,
    }))
  const names = Array.from({ length: 300 }, (_, index) => `customer ${index}`)

  it('posts 300 entries within the limit of a transaction, for at most 50,000 a new account', async () => {
    const { post, deployment } = await deployPoints(anvil)
    hold('deployment of LoyaltyPoints', gas(deployment), transactionLimit)
    const first = gas(await post(...createEntries('first', names)))
    hold('300 entries of points, new accounts', first, transactionLimit)
    hold('gas an entry at 300, new accounts', first / 300n, 50_000n)
    hold('gas an entry at 300, known accounts', gas(await post(...createEntries('second', names))) / 300n, 34_000n)
    hold('gas an entry at 300, taken away', gas(await post(...createEntries('burn', names, -1n))) / 300n, 34_000n)
    hold('gas an entry at 300, all counted before', gas(await post(...createEntries('first', names))) / 300n, 5_000n)
  })

  it('posts one entry for at most 80,000', async () => {
    const { post } = await deployPoints(anvil)
    await post(...createEntries('before', ['somebody']))
    hold('one entry of points, a new account', gas(await post(...createEntries('one', ['customer']))), 80_000n)
    hold('one entry of points, a known account', gas(await post(...createEntries('two', ['customer']))), 65_000n)
  })
})
