import { NodeUnavailableError, type ChainAdapter, type ChainAdapterOptions, type Receipt } from '../family.ts'
import { createSenderAccess, expectAnswer, toAnswer } from './rpc/access.ts'
import { fundSender } from './funding.ts'
import { toQuantity, type Hex } from './rpc/quantity.ts'
import type { RawBlock, RawReceipt, createReceiptReader } from './receipts.ts'
import type { Rpc } from './rpc/rpc.ts'
import { NonceSequence } from './sequence.ts'
import { knowsBlocks, readChainSnapshot } from './snapshot.ts'

/**
 * The modules that create, send and read transactions. They load the chain's SDK, which an idle sender does without.
 */
const modules = {
  effects: () => import('./effects.ts'),
  owners: () => import('./acts/owners.ts'),
  receipts: () => import('./receipts.ts'),
  records: () => import('./acts/records.ts'),
  send: () => import('./send.ts'),
}

/** Creates the adapter of a sender on an EVM network. */
export function createEvmAdapter(options: ChainAdapterOptions): ChainAdapter {
  const access = createSenderAccess(options)
  const { rpc, address, chainId } = access
  const readReceipts = createLazyReceiptReader(rpc)
  return {
    openSequence: (sender) => new NonceSequence(access, sender),
    ensureWallet: (wallet) => options.signer.ensureKey(wallet, 'evm'),
    async checkNode() {
      const [id, first] = await rpc.callAll([
        { method: 'eth_chainId', params: [] },
        { method: 'eth_getBlockByNumber', params: ['0x0', false] },
      ])
      if (expectAnswer<Hex>(id) !== toQuantity(chainId))
        throw new NodeUnavailableError(`the node is not of chain ${chainId}`)
      await fundSender(rpc, address)
      return toAnswer<RawBlock>(first)?.hash ?? null
    },
    readSnapshot: (hashes) => readChainSnapshot(access, readReceipts, hashes),
    hasBlocks: (blocks) => knowsBlocks(access, blocks),
    async computeContractAddress(_, place) {
      if (place === null) throw new Error('every contract of this family is deployed')
      return (await modules.send()).computeDeploymentAddress(address, place)
    },
    prepareAct: async (act) => (await modules.send()).prepareAct(access, act),
    sendTransaction: async (raw) => (await modules.send()).submitTransaction(access, raw),
    readRevertReason: async (raw, block) => (await modules.send()).findRevertReason(access, raw, block),
    findOwners: async (contract, tokenIds) => (await modules.owners()).findTokenOwners(rpc, contract, tokenIds),
    findEffect: async (transaction) => (await modules.effects()).findTransactionEffect(rpc, transaction),
    findAnchorRecord: async (contract, root) => (await modules.records()).findRootAnchor(rpc, contract, root),
  }
}

function createLazyReceiptReader(rpc: Rpc): (raw: readonly RawReceipt[]) => Promise<Receipt[]> {
  let readReceipts: ReturnType<typeof createReceiptReader> | undefined
  return async (raw) => {
    if (raw.length === 0) return []
    readReceipts ??= (await modules.receipts()).createReceiptReader(rpc)
    return readReceipts(raw)
  }
}
