import {
  getAddress, getContractAddress, hexToBytes, hexToNumber, keccak256, numberToHex, parseTransaction, serializeTransaction,
  toHex, type Hex, type TransactionSerializableEIP1559, type TransactionSerializableLegacy,
} from 'viem'
import { NodeUnavailable, Reverted, type Family, type FamilyOptions, type Prepared, type Reception } from '../family.ts'
import { networks } from '../networks.ts'
import { callOf } from './calls.ts'
import { feesOf, raised, type Fees } from './fees.ts'
import { fund } from './funding.ts'
import { ownersIn, placeIn } from './owners.ts'
import { receiptReader, type RawBlock, type RawReceipt } from './receipts.ts'
import { reasonOf } from './revert.ts'
import { reverts, rpcOf, RpcError, type Rpc } from './rpc.ts'

type Sendable = TransactionSerializableEIP1559 | TransactionSerializableLegacy

/** Most gas of one transaction. Source: EIP-7825. */
const gasCap = 16_777_216n

/** A sender on an EVM network. */
export function evmFamily({ network, rpcUrl, account, address, signer }: FamilyOptions): Family {
  const rpc = rpcOf(rpcUrl)
  const chainId = Number(networks[network].caip2.split(':')[1])
  const read = receiptReader(rpc)
  let fees: Fees | undefined

  const seal = async (attempt: string, transaction: Sendable) => {
    const bytes = hexToBytes(serializeTransaction(transaction))
    const signature = await signer.sign(attempt, account, 'evm', bytes)
    const part = (from: number, to: number) => toHex(signature.subarray(from, to))
    const yParity = (signature[64] ?? 27) % 27
    const raw = serializeTransaction(transaction, { r: part(0, 32), s: part(32, 64), yParity, v: BigInt(27 + yParity) })
    return { hash: keccak256(raw), raw: hexToBytes(raw) }
  }
  const priced = (price: Fees) => price.tip === undefined
    ? { type: 'legacy' as const, gasPrice: price.most }
    : { type: 'eip1559' as const, maxFeePerGas: price.most, maxPriorityFeePerGas: price.tip }
  const currentFees = async () => {
    if (fees) return fees
    await family.view([])
    return fees ?? Promise.reject(new NodeUnavailable('the node tells no fees'))
  }

  const family: Family = {
    batchLimit: 500,
    async open() {
      const [id, first] = await rpc.askAll([
        { method: 'eth_chainId', params: [] }, { method: 'eth_getBlockByNumber', params: ['0x0', false] }])
      if (id !== numberToHex(chainId)) throw new NodeUnavailable(`the node is not of chain ${chainId}`)
      await fund(rpc, address)
      return (first as RawBlock).hash
    },
    async view(hashes) {
      const [head, count, tip, price, ...found] = await rpc.askAll([
        { method: 'eth_getBlockByNumber', params: ['latest', false] },
        { method: 'eth_getTransactionCount', params: [address, 'latest'] },
        { method: 'eth_maxPriorityFeePerGas', params: [] },
        { method: 'eth_gasPrice', params: [] },
        ...hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }))])
      const { number, hash, baseFeePerGas } = certain<RawBlock>(head)
      fees = feesOf(baseFeePerGas, tip instanceof RpcError ? undefined : tip as Hex, certain<Hex>(price))
      const mined = found.filter((receipt): receipt is RawReceipt => receipt !== null && !(receipt instanceof RpcError))
      const receipts = await read(mined)
      return {
        head: { number: hexToNumber(number), hash },
        count: hexToNumber(certain<Hex>(count)),
        receipts: new Map(receipts.map((receipt) => [receipt.hash, receipt])),
      }
    },
    async knows(blocks) {
      const found = await rpc.askAll(blocks.map(({ number }) => (
        { method: 'eth_getBlockByNumber', params: [numberToHex(number), false] })))
      return found.map((block, index) => (block as RawBlock | null)?.hash === blocks[index]?.hash)
    },
    contractAt: (nonce) => getContractAddress({ from: getAddress(address), nonce: BigInt(nonce) }),
    deployed: async (contract) => (await rpc.ask<Hex>('eth_getCode', contract, 'latest')) !== '0x',
    async prepare(unit) {
      const call = await callOf(unit, address)
      if (unit.kind === 'fill') return { ...call, gas: 21_000n }
      const transaction = { from: address, ...toOf(call), data: call.data }
      if (unit.kind === 'mintBatch') {
        const gas = enoughFor(unit.tokenIds.length)
        if (await works(rpc, { ...transaction, gas: numberToHex(gas) })) return { ...call, gas }
      }
      const estimate = await rpc.ask<Hex>('eth_estimateGas', transaction).catch((cause: unknown) => { throw refusal(cause) })
      const gas = BigInt(estimate) * 23n / 20n
      if (gas > gasCap) throw new Reverted('The operation needs more gas than a transaction may have.')
      return { ...call, gas }
    },
    async sign(attempt, { to, data, gas }: Prepared, nonce) {
      const call = { ...toOf({ to }), data: data as Hex, gas, nonce, chainId, value: 0n }
      return seal(attempt, { ...call, ...priced(await currentFees()) })
    },
    async raise(attempt, raw) {
      const { r, s, v, yParity, ...before } = parseTransaction(toHex(raw)) as Sendable & Record<'r' | 's' | 'v' | 'yParity', unknown>
      const { gasPrice, maxFeePerGas, maxPriorityFeePerGas: tip, type, ...call } = before
      const most = maxFeePerGas ?? gasPrice ?? 0n
      const price = raised(tip === undefined ? { most } : { most, tip }, await currentFees())
      return seal(attempt, { ...call, chainId, ...priced(price) } as Sendable)
    },
    async send(raw) {
      try {
        await rpc.ask('eth_sendRawTransaction', toHex(raw))
        return 'taken'
      } catch (cause) {
        if (!(cause instanceof RpcError)) throw cause
        const reception = receptionOf(cause)
        if (reception) return reception
        await fund(rpc, address)
        throw new NodeUnavailable('the node does not take the transaction', { cause })
      }
    },
    async reason(raw, block) {
      const { to, data, gas } = parseTransaction(toHex(raw))
      const at = numberToHex(Math.max(0, block.number - 1))
      const call = { from: address, ...toOf({ to: to ?? null }), data, gas: numberToHex(gas ?? gasCap) }
      const [answer] = await rpc.askAll([{ method: 'eth_call', params: [call, at] }])
      return answer instanceof RpcError ? reasonOf(answer).text : 'The contract refused the operation.'
    },
    owners: (contract, tokenIds) => ownersIn(rpc, contract, tokenIds),
    placeOf: (contract, tokenId) => placeIn(rpc, contract, tokenId),
  }
  return family
}

/** Gas that a batch of so many tokens does not use up; what is left is not paid. */
const enoughFor = (tokens: number) => 300_000n + 10_500n * BigInt(tokens)

/** One run instead of the several of an estimate. */
async function works(rpc: Rpc, transaction: Record<string, string>): Promise<boolean> {
  const [answer] = await rpc.askAll([{ method: 'eth_call', params: [transaction, 'latest'] }])
  return !(answer instanceof RpcError)
}

const toOf = ({ to }: { to: string | null }) => (to === null ? {} : { to: getAddress(to) })

function certain<T>(answer: unknown): T {
  if (answer instanceof RpcError || answer === null) throw new NodeUnavailable('the node left a question open', { cause: answer })
  return answer as T
}

function refusal(cause: unknown): unknown {
  if (!(cause instanceof RpcError)) return cause
  if (!reverts(cause)) return new NodeUnavailable('the node cannot simulate', { cause })
  const { text, temporary } = reasonOf(cause)
  return temporary ? new NodeUnavailable(text, { cause }) : new Reverted(text, { cause })
}

/** What a node's refusal of a signed transaction means; undefined: it may take the same bytes later. */
function receptionOf({ message }: RpcError): Reception | undefined {
  if (/already (known|imported|exists)|known transaction|nonce too low|nonce is too low/i.test(message)) return 'known'
  if (/underpriced|less than block base fee|fee too low|below base fee|gas price too low/i.test(message)) return 'cheap'
  return undefined
}
