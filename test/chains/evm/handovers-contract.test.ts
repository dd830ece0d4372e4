import { expect } from 'chai'
import { concat, getContract, type Address, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import artifact from '../../../core/chains/evm/contracts/artifacts/PassportHandovers.json' with { type: 'json' }
import { handoversAbi } from '../../../core/chains/evm/contracts/handovers.abi.ts'
import { passportsAbi } from '../../../core/chains/evm/contracts/passports.abi.ts'
import { startTestAnvil, type TestAnvil } from '../../support/chains/anvil.ts'
import { toTokenId } from '../../support/chains/chain-rig.ts'
import {
  createAddress,
  createTokenIds,
  deployPassports,
  findRevertName,
  owner,
  relayer,
  type PassportsContract,
} from '../../support/chains/passport-contract.ts'

const chainId = 31_337
const [taker, stranger] = [createAddress('taker'), createAddress('stranger')]
const word = (name: string) => toTokenId(name) as Hex
const createWallet = (name: string) => privateKeyToAccount(word(name))

const types = {
  PassOn: [
    { name: 'collection', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'id', type: 'uint256' },
    { name: 'operation', type: 'bytes32' },
    { name: 'until', type: 'uint256' },
  ],
} as const

describe('PassportHandovers', () => {
  let anvil: TestAnvil
  let passports: PassportsContract
  let code: Address
  let until = 0n
  before(async () => {
    anvil = await startTestAnvil()
    await anvil.fund(stranger, owner, relayer)
    passports = await deployPassports(anvil)
    const sent = anvil.client.deployContract({ abi: handoversAbi, bytecode: artifact.bytecode as Hex, account: owner })
    code = (await anvil.waitUntilMined(sent)).contractAddress as Address
    until = (await anvil.client.getBlock()).timestamp + 3_600n
  })
  after(() => anvil.stop())

  /** A wallet that runs the code, with a token. */
  async function openWallet(name: string) {
    const wallet = createWallet(name)
    const [id = 0n] = createTokenIds(name, 1)
    await passports.mint(wallet.address, id)
    await anvil.client.setCode({ address: wallet.address, bytecode: concat(['0xef0100', code]) })
    const contract = getContract({ abi: handoversAbi, address: wallet.address, client: anvil.client })
    const message = { collection: passports.contract.address, to: taker as Address, id, operation: word(name), until }
    const sign = (changed: Partial<typeof message> = {}, by = wallet, verifyingContract = wallet.address) =>
      by.signTypedData({
        domain: { name: 'Tessera passport handovers', version: '1', chainId, verifyingContract },
        types,
        primaryType: 'PassOn',
        message: { ...message, ...changed },
      })
    const call = (signature: Hex, changed: Partial<typeof message> = {}) => {
      const { collection, to, id: token, operation, until: end } = { ...message, ...changed }
      return [collection, to, token, operation, end, signature] as const
    }
    const account = stranger
    return {
      wallet,
      id,
      contract,
      sign,
      passOn: async (signature: Hex, changed: Partial<typeof message> = {}) =>
        anvil.waitUntilMined(contract.write.passOn(call(signature, changed), { account })),
      tryToPassOn: async (signature: Hex, changed: Partial<typeof message> = {}) =>
        findRevertName(contract.simulate.passOn(call(signature, changed), { account })),
    }
  }

  it('moves a token that the wallet has signed away, whoever hands it in, once', async () => {
    const { wallet, id, sign, passOn, tryToPassOn, contract } = await openWallet('once')
    const signature = await sign()
    expect((await passOn(signature)).status).to.equal('success')
    expect(await passports.contract.read.ownerOf([id])).to.equal(taker)
    expect(await contract.read.isDone([word('once')])).to.equal(true)
    await anvil.fund(taker)
    await anvil.waitUntilMined(passports.contract.write.transferFrom([taker, wallet.address, id], { account: taker }))
    expect(await tryToPassOn(signature), 'after the token has come back').to.equal('DoneBefore')
  })

  it('moves nothing that the wallet has not signed, as it stands', async () => {
    const { sign, tryToPassOn } = await openWallet('signed')
    const signature = await sign()
    const changes = [
      { to: stranger as Address },
      { id: 1n },
      { operation: word('other') },
      { until: until + 1n },
      { collection: stranger as Address },
    ]
    for (const change of changes)
      expect(await tryToPassOn(signature, change), Object.keys(change)[0]).to.equal('NotSigned')
    expect(await tryToPassOn(await sign({}, createWallet('a thief')))).to.equal('NotSigned')
    expect(await tryToPassOn(await sign({}, createWallet('signed'), code)), 'for another wallet').to.equal('NotSigned')
    expect(await tryToPassOn('0x1234')).to.equal('ECDSAInvalidSignatureLength')
  })

  it('moves nothing after the time that was signed, and what failed stays to be done', async () => {
    const { wallet, id, sign, tryToPassOn, contract } = await openWallet('late')
    const ended = { until: 1n }
    expect(await tryToPassOn(await sign(ended), ended)).to.equal('RunOut')
    const foreign = { id: 5n }
    expect(await tryToPassOn(await sign(foreign), foreign)).to.equal('ERC721NonexistentToken')
    expect(await contract.read.isDone([word('late')])).to.equal(false)
    expect(await passports.contract.read.ownerOf([id])).to.equal(wallet.address)
  })

  it('moves nothing at its own address', async () => {
    const wallet = createWallet('once')
    const own = getContract({ abi: handoversAbi, address: code, client: anvil.client })
    const signature = await wallet.signTypedData({
      domain: { name: 'Tessera passport handovers', version: '1', chainId, verifyingContract: code },
      types,
      primaryType: 'PassOn',
      message: { collection: passports.contract.address, to: taker, id: 1n, operation: word('own'), until },
    })
    const call = own.simulate.passOn([passports.contract.address, taker, 1n, word('own'), until, signature], {
      account: stranger,
    })
    expect(await findRevertName(call)).to.equal('NotSigned')
  })

  it('leaves the wallet able to take money and tokens of every kind', async () => {
    const { wallet, contract } = await openWallet('taking')
    const [id = 0n] = createTokenIds('given', 1)
    await passports.mint(stranger, id)
    const given = anvil.client.writeContract({
      abi: passportsAbi,
      address: passports.contract.address,
      functionName: 'safeTransferFrom',
      args: [stranger, wallet.address, id],
      account: stranger,
      chain: null,
    })
    expect((await anvil.waitUntilMined(given)).status).to.equal('success')
    const paid = anvil.client.sendTransaction({ account: stranger, to: wallet.address, value: 5n, chain: null })
    expect((await anvil.waitUntilMined(paid)).status).to.equal('success')
    expect(await anvil.client.getBalance({ address: wallet.address })).to.equal(5n)
    expect(await contract.read.supportsInterface(['0x4e2312e0'])).to.equal(true)
  })
})
