import { expect } from 'chai'
import { encodeFunctionData, hexToBigInt, parseEventLogs, zeroAddress, type Hex } from 'viem'
import { passportsAbi } from '../../../core/chains/evm/contracts/passports.abi.ts'
import { startTestAnvil, type TestAnvil } from '../../support/chains/anvil.ts'
import {
  createAddress,
  baseURI,
  deployPassports,
  createTokenIds,
  issuer,
  owner,
  findRevertName,
  relayer,
  parseTransfers,
  type PassportsContract,
} from '../../support/chains/passport-contract.ts'

const [alice, bob, carol] = [createAddress('alice'), createAddress('bob'), createAddress('carol')]
const ids = createTokenIds('contract', 20)
const [a, b, c] = ids as [bigint, bigint, bigint]
/** Batch and index of each id of a batch. */
const idsIn = (batch: bigint, size: number) => Array.from({ length: size }, (_, index) => [batch, BigInt(index)])
const unknown = createTokenIds('unknown', 1)[0] ?? 0n

describe('ProductPassports', () => {
  let anvil: TestAnvil
  let passports: PassportsContract
  let contract: PassportsContract['contract']

  before(async () => {
    anvil = await startTestAnvil()
    await anvil.fund(alice, bob, carol)
  })
  after(() => anvil.stop())
  beforeEach(async () => {
    passports = await deployPassports(anvil)
    contract = passports.contract
  })

  const asOwner = { account: owner }
  const asRelayer = { account: relayer }
  const fromBatch = (to: Hex, id: bigint, batch: bigint, index: bigint) =>
    contract.simulate.transferFromBatch([to, id, batch, index], asRelayer)

  describe('collection metadata and interfaces', () => {
    it('tells its name, symbol, issuer, owner and relayer', async () => {
      const { read } = contract
      expect(
        await Promise.all([read.name(), read.symbol(), read.issuer(), read.owner(), read.relayer()]),
      ).to.deep.equal(['Tessera', 'TSR', issuer, owner, relayer])
    })

    it('supports ERC-165, ERC-721, its metadata and ERC-4906, and neither ERC-2981 nor 0xffffffff', async () => {
      const answers = ['0x01ffc9a7', '0x80ac58cd', '0x5b5e139f', '0x49064906', '0x2a55205a', '0xffffffff'] as const
      expect(await Promise.all(answers.map((id) => contract.read.supportsInterface([id])))).to.deep.equal([
        true,
        true,
        true,
        true,
        false,
        false,
      ])
    })

    it('gives a token the address of its metadata: the base and 0x with 64 hex digits', async () => {
      const vector = '0xdb8055e0e0307d5a016bec4dc338d69875eb0fb7e614a8b125b08fb082095d98'
      await passports.mint(alice, hexToBigInt(vector))
      await passports.mintBatch([0xabcn])
      expect(await contract.read.tokenURI([hexToBigInt(vector)])).to.equal(`${baseURI}${vector}`)
      expect(await contract.read.tokenURI([0xabcn])).to.equal(`${baseURI}0x${'abc'.padStart(64, '0')}`)
    })

    it('knows nothing of a token that was not minted', async () => {
      await passports.mintBatch(ids)
      for (const call of [contract.read.ownerOf, contract.read.getApproved, contract.read.tokenURI]) {
        expect(await findRevertName(call([unknown]))).to.equal('ERC721NonexistentToken')
      }
      expect(await findRevertName(contract.read.locate([unknown]))).to.equal('NotInBatch')
      expect(await findRevertName(contract.read.balanceOf([zeroAddress]))).to.equal('ERC721InvalidOwner')
    })
  })

  describe('mint and mintBatch', () => {
    it('mints one token to its claimer, once', async () => {
      expect(parseTransfers(await passports.mint(alice, a))).to.deep.equal([[zeroAddress, alice, a]])
      expect(await contract.read.ownerOf([a])).to.equal(alice)
      expect(await contract.read.balanceOf([alice])).to.equal(1n)
      expect(await findRevertName(contract.simulate.mint([bob, a], asRelayer))).to.equal('ERC721InvalidSender')
    })

    it('mints a batch to the issuer, with a Transfer a token and the number of the batch', async () => {
      await passports.mintBatch([c])
      const receipt = await passports.mintBatch([a, b])
      expect(parseTransfers(receipt)).to.deep.equal([
        [zeroAddress, issuer, a],
        [zeroAddress, issuer, b],
      ])
      const [minted] = parseEventLogs({ abi: passportsAbi, eventName: 'BatchMinted', logs: receipt.logs })
      expect(minted?.args).to.deep.equal({ batch: 1n, owner: issuer, size: 2n })
      expect(await contract.read.balanceOf([issuer])).to.equal(3n)
      expect(await contract.read.ownerOf([b])).to.equal(issuer)
    })

    it('mints a batch to another first owner', async () => {
      await passports.mined(contract.write.mintBatch([alice, ids], asRelayer))
      expect(await contract.read.ownerOf([a])).to.equal(alice)
      expect(await contract.read.balanceOf([alice])).to.equal(20n)
      expect(await contract.read.balanceOf([issuer])).to.equal(0n)
    })

    it('finds each id of each batch, also after it has moved', async () => {
      await passports.mintBatch(ids.slice(0, 7))
      await passports.mintBatch(ids.slice(7, 8))
      await passports.mintBatch(ids.slice(8))
      await passports.transferFromBatch(alice, ids[7] ?? 0n, 1, 0)
      const found = await Promise.all(ids.map((id) => contract.read.locate([id])))
      const places = [...idsIn(0n, 7), ...idsIn(1n, 1), ...idsIn(2n, 12)]
      expect(found).to.deep.equal(places)
    })

    it('tells where a batch lies, its size and its first owner', async () => {
      await passports.mintBatch(ids)
      const [pointer, size, first] = await contract.read.batchAt([0n])
      expect([size, first]).to.deep.equal([20n, issuer])
      expect((await anvil.client.getCode({ address: pointer }))?.length).to.equal(2 + 2 * (21 + 20 * 32))
      expect(await contract.read.batchCount()).to.equal(1n)
      expect(await findRevertName(contract.read.batchAt([1n]))).to.equal('NoSuchBatch')
    })

    it('refuses batches that are empty, too large, unsorted or with an id twice', async () => {
      const batch = (list: bigint[]) => findRevertName(contract.simulate.mintBatch([list], asRelayer))
      expect(await batch([])).to.equal('BatchSizeOutOfRange')
      expect(await batch(createTokenIds('large', 768))).to.equal('BatchSizeOutOfRange')
      expect(await batch(createTokenIds('large', 767))).to.equal(undefined)
      expect(await batch([b, a])).to.equal('IdsNotIncreasing')
      expect(await batch([a, a])).to.equal('IdsNotIncreasing')
      expect(await batch([a, c, b, ...ids.slice(3)])).to.equal('IdsNotIncreasing')
    })

    it('names one owner of an id minted twice: storage before batches, an older batch before a newer', async () => {
      await passports.mined(contract.write.mintBatch([bob, [a, b]], asRelayer))
      await passports.mined(contract.write.mintBatch([carol, [a, b]], asRelayer))
      await passports.mint(alice, a)
      expect(await contract.read.ownerOf([a])).to.equal(alice)
      expect(await contract.read.ownerOf([b])).to.equal(bob)
      expect(await findRevertName(fromBatch(carol, a, 0n, 0n))).to.equal('AlreadyMoved')
    })

    it('moves no token out of a newer batch that an older one of another owner has', async () => {
      await passports.mined(contract.write.mintBatch([bob, [a, b]], asRelayer))
      await passports.mined(contract.write.mintBatch([carol, [a, b]], asRelayer))
      expect(await findRevertName(fromBatch(alice, b, 1n, 1n))).to.equal('NotOldestBatch')
      await passports.mintBatch([b, c])
      expect(await findRevertName(fromBatch(alice, b, 2n, 0n))).to.equal('NotOldestBatch')
      const [moved] = parseTransfers(await passports.transferFromBatch(alice, b, 0, 1))
      expect(moved).to.deep.equal([bob, alice, b])
      expect(parseTransfers(await passports.transferFromBatch(alice, c, 2, 1))).to.deep.equal([[issuer, alice, c]])
      expect(await contract.read.balanceOf([bob])).to.equal(1n)
    })

    it('moves a token that two batches of one owner have, out of either', async () => {
      await passports.mintBatch([a, b])
      await passports.mintBatch([a, b])
      expect(parseTransfers(await passports.transferFromBatch(alice, a, 1, 0))).to.deep.equal([[issuer, alice, a]])
      expect(await findRevertName(fromBatch(alice, a, 0n, 0n))).to.equal('AlreadyMoved')
    })

    it('takes 2,000 batches and no more; single mints and every transfer go on', async () => {
      expect(await contract.read.MAX_BATCHES()).to.equal(2_000n)
      const all = createTokenIds('limit', 2_001)
      const last = all.pop() ?? 0n
      await passports.mintOneByOne(all)
      expect(await contract.read.batchCount()).to.equal(2_000n)
      expect(await findRevertName(contract.simulate.mintBatch([[last]], asRelayer))).to.equal('BatchLimitReached')
      expect(await findRevertName(contract.simulate.mintBatch([bob, [last]], asRelayer))).to.equal('BatchLimitReached')
      const [first, second] = all as [bigint, bigint]
      await passports.mint(alice, last)
      await passports.transferFromBatch(alice, first, 0, 0)
      await passports.mined(contract.write.transferFrom([issuer, alice, second], { account: issuer }))
      expect(await contract.read.balanceOf([alice])).to.equal(3n)
      expect(await contract.read.ownerOf([all[1_999] ?? 0n])).to.equal(issuer)
    })

    it('refuses the zero address as owner', async () => {
      const { mint, mintBatch } = contract.simulate
      expect(await findRevertName(mint([zeroAddress, a], asRelayer))).to.equal('ERC721InvalidReceiver')
      expect(await findRevertName(mintBatch([zeroAddress, [a]], asRelayer))).to.equal('ERC721InvalidReceiver')
    })
  })

  describe('transferFromBatch', () => {
    beforeEach(() => passports.mintBatch(ids))

    it('moves the token to its claimer with one Transfer', async () => {
      expect(parseTransfers(await passports.transferFromBatch(alice, b, 0, 1))).to.deep.equal([[issuer, alice, b]])
      expect(await contract.read.ownerOf([b])).to.equal(alice)
      expect(await contract.read.balanceOf([alice])).to.equal(1n)
      expect(await contract.read.balanceOf([issuer])).to.equal(19n)
    })

    it('refuses a wrong batch, index or id, the zero address, and indexes past the end or wrapping round', async () => {
      await passports.mintBatch([1n])
      const cases = [
        [alice, b, 2n, 1n, 'NoSuchBatch'],
        [alice, b, 1n, 1n, 'NotInBatch'],
        [alice, b, 1n, 0n, 'NotInBatch'],
        [alice, b, 0n, 2n, 'NotInBatch'],
        [alice, unknown, 0n, 1n, 'NotInBatch'],
        [alice, 0n, 0n, 20n, 'NotInBatch'],
        [alice, 0n, 0n, 900n, 'NotInBatch'],
        [alice, 0n, 2n, 0n, 'NoSuchBatch'],
        [alice, b, 0n, 2n ** 251n + 1n, 'NotInBatch'],
        [alice, b, 2n ** 64n, 1n, 'NoSuchBatch'],
        [zeroAddress, b, 0n, 1n, 'ERC721InvalidReceiver'],
      ] as const
      for (const [to, id, batch, index, error] of cases) {
        expect(await findRevertName(fromBatch(to, id, batch, index)), `${id} ${batch} ${index}`).to.equal(error)
      }
    })

    it('refuses a token that has moved, even when it came back to the issuer', async () => {
      await passports.transferFromBatch(alice, a, 0, 0)
      expect(await findRevertName(fromBatch(bob, a, 0n, 0n))).to.equal('AlreadyMoved')
      await passports.mined(contract.write.transferFrom([alice, issuer, a], { account: alice }))
      expect(await contract.read.balanceOf([issuer])).to.equal(20n)
      expect(await findRevertName(fromBatch(bob, a, 0n, 0n))).to.equal('AlreadyMoved')
    })

    it('ends an approval that the issuer had given', async () => {
      await passports.mined(contract.write.approve([carol, a], { account: issuer }))
      expect(await contract.read.getApproved([a])).to.equal(carol)
      await passports.transferFromBatch(alice, a, 0, 0)
      expect(await contract.read.getApproved([a])).to.equal(zeroAddress)
      expect(await findRevertName(contract.simulate.transferFrom([alice, carol, a], { account: carol }))).to.equal(
        'ERC721InsufficientApproval',
      )
    })

    it('gathers mints and transfers in one transaction, and undoes all when one is refused', async () => {
      const mint = encodeFunctionData({ abi: passportsAbi, functionName: 'mint', args: [alice, unknown] })
      const claim = (id: bigint) =>
        encodeFunctionData({ abi: passportsAbi, functionName: 'transferFromBatch', args: [bob, id, 0n, 0n] })
      expect(await findRevertName(contract.simulate.multicall([[mint, claim(b)]], asRelayer))).to.equal('NotInBatch')
      expect(await findRevertName(contract.simulate.multicall([[mint]], { account: alice }))).to.equal('NotRelayer')
      const receipt = await passports.mined(contract.write.multicall([[mint, claim(a)]], asRelayer))
      expect(parseTransfers(receipt)).to.deep.equal([
        [zeroAddress, alice, unknown],
        [issuer, bob, a],
      ])
    })

    it('takes nothing that it knew in one call of a transaction into the next', async () => {
      await passports.mined(contract.write.setApprovalForAll([relayer, true], { account: issuer }))
      const move = (id: bigint) =>
        encodeFunctionData({ abi: passportsAbi, functionName: 'transferFrom', args: [issuer, carol, id] })
      const mint = encodeFunctionData({ abi: passportsAbi, functionName: 'mint', args: [alice, unknown] })
      const claim = encodeFunctionData({ abi: passportsAbi, functionName: 'transferFromBatch', args: [bob, a, 0n, 0n] })
      expect(await findRevertName(contract.simulate.multicall([[claim, move(unknown)]], asRelayer))).to.equal(
        'ERC721NonexistentToken',
      )
      const receipt = await passports.mined(contract.write.multicall([[mint, move(b)]], asRelayer))
      expect(parseTransfers(receipt)).to.deep.equal([
        [zeroAddress, alice, unknown],
        [issuer, carol, b],
      ])
    })
  })

  describe('ERC-721 functions for a token of a batch', () => {
    beforeEach(() => passports.mintBatch(ids))

    it('transfers by its owner, by an approved one and by an operator, and by nobody else', async () => {
      const move = (by: Hex, id: bigint) => contract.simulate.transferFrom([issuer, carol, id], { account: by })
      expect(await findRevertName(move(alice, a))).to.equal('ERC721InsufficientApproval')
      expect(await findRevertName(move(relayer, a))).to.equal('ERC721InsufficientApproval')
      await passports.mined(contract.write.transferFrom([issuer, carol, a], { account: issuer }))
      await passports.mined(contract.write.approve([alice, b], { account: issuer }))
      await passports.mined(contract.write.transferFrom([issuer, carol, b], { account: alice }))
      await passports.mined(contract.write.setApprovalForAll([bob, true], { account: issuer }))
      await passports.mined(contract.write.transferFrom([issuer, carol, c], { account: bob }))
      expect(await contract.read.balanceOf([carol])).to.equal(3n)
      expect(await contract.read.balanceOf([issuer])).to.equal(17n)
    })

    it('refuses the wrong owner, the zero address and an unknown token', async () => {
      const move = (from: Hex, to: Hex, id: bigint) =>
        findRevertName(contract.simulate.transferFrom([from, to, id], { account: issuer }))
      expect(await move(alice, bob, a)).to.equal('ERC721IncorrectOwner')
      expect(await move(issuer, zeroAddress, a)).to.equal('ERC721InvalidReceiver')
      expect(await move(issuer, bob, unknown)).to.equal('ERC721NonexistentToken')
    })

    it('transfers safely to an address and to a contract that answers, not to one that does not', async () => {
      const safely = (to: Hex, id: bigint) => [[issuer, to, id], { account: issuer }] as const
      expect(await findRevertName(contract.simulate.safeTransferFrom(...safely(contract.address, a)))).to.equal(
        'ERC721InvalidReceiver',
      )
      // Answers every call with the selector of onERC721Received.
      await anvil.client.setCode({ address: createAddress('receiver'), bytecode: '0x63150b7a0260e01b5f5260205ff3' })
      await passports.mined(contract.write.safeTransferFrom(...safely(createAddress('receiver'), a)))
      await passports.mined(contract.write.safeTransferFrom([issuer, alice, b, '0x01'], { account: issuer }))
      expect(await contract.read.ownerOf([a])).to.equal(createAddress('receiver'))
      expect(await contract.read.ownerOf([b])).to.equal(alice)
    })
  })

  describe('roles, pause and ownership', () => {
    it('lets nobody but the relayer mint or transfer out of a batch', async () => {
      await passports.mintBatch(ids)
      for (const account of [owner, issuer, alice]) {
        expect(await findRevertName(contract.simulate.mint([alice, unknown], { account }))).to.equal('NotRelayer')
        expect(await findRevertName(contract.simulate.mintBatch([[unknown]], { account }))).to.equal('NotRelayer')
        expect(await findRevertName(contract.simulate.mintBatch([alice, [unknown]], { account }))).to.equal(
          'NotRelayer',
        )
        expect(await findRevertName(contract.simulate.transferFromBatch([bob, a, 0n, 0n], { account }))).to.equal(
          'NotRelayer',
        )
      }
    })

    it('lets nobody but the owner pause, resume, change the relayer or the base', async () => {
      for (const account of [relayer, alice]) {
        const calls = [
          contract.simulate.pause({ account }),
          contract.simulate.unpause({ account }),
          contract.simulate.setRelayer([alice], { account }),
          contract.simulate.setBaseURI(['x'], { account }),
        ]
        expect(await Promise.all(calls.map(findRevertName))).to.deep.equal(Array(4).fill('OwnableUnauthorizedAccount'))
      }
    })

    it('takes the power of the former relayer with a new one', async () => {
      await passports.mined(contract.write.setRelayer([bob], asOwner))
      expect(await findRevertName(contract.simulate.mint([alice, a], asRelayer))).to.equal('NotRelayer')
      expect(await findRevertName(contract.simulate.mint([alice, a], { account: bob }))).to.equal(undefined)
    })

    it('stops every mint and transfer while paused, and nothing else', async () => {
      await passports.mintBatch(ids)
      await passports.mined(contract.write.pause(asOwner))
      const calls = [
        contract.simulate.mint([alice, unknown], asRelayer),
        contract.simulate.mintBatch([[unknown]], asRelayer),
        fromBatch(alice, a, 0n, 0n),
        contract.simulate.transferFrom([issuer, alice, a], { account: issuer }),
      ]
      expect(await Promise.all(calls.map(findRevertName))).to.deep.equal(Array(4).fill('EnforcedPause'))
      expect(await contract.read.ownerOf([a])).to.equal(issuer)
      await passports.mined(contract.write.unpause(asOwner))
      await passports.transferFromBatch(alice, a, 0, 0)
      expect(await contract.read.ownerOf([a])).to.equal(alice)
    })

    it('announces a new base for the metadata of all tokens', async () => {
      await passports.mint(alice, a)
      const { logs } = await passports.mined(contract.write.setBaseURI(['https://new.example/'], asOwner))
      const [update] = parseEventLogs({ abi: passportsAbi, eventName: 'BatchMetadataUpdate', logs })
      expect(update?.args).to.deep.equal({ _fromTokenId: 0n, _toTokenId: 2n ** 256n - 1n })
      expect(await contract.read.tokenURI([a])).to.match(/^https:\/\/new\.example\/0x[0-9a-f]{64}$/)
    })

    it('has an owner always, who is not its relayer', async () => {
      expect(await findRevertName(contract.read.renounceOwnership(asOwner))).to.equal('OwnershipNotRenounced')
      expect(await findRevertName(contract.simulate.setRelayer([owner], asOwner))).to.equal('OwnerIsRelayer')
      await passports.mined(contract.write.transferOwnership([relayer], asOwner))
      expect(await findRevertName(contract.simulate.acceptOwnership(asRelayer))).to.equal('OwnerIsRelayer')
      expect(await findRevertName(contract.simulate.acceptOwnership({ account: alice }))).to.equal(
        'OwnableUnauthorizedAccount',
      )
      expect(await contract.read.owner()).to.equal(owner)
    })

    it('hands itself over to a new owner who accepts', async () => {
      await passports.mined(contract.write.transferOwnership([alice], asOwner))
      expect(await contract.read.owner()).to.equal(owner)
      await passports.mined(contract.write.acceptOwnership({ account: alice }))
      expect(await contract.read.owner()).to.equal(alice)
    })
  })
})
