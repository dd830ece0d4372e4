import { createHash } from 'node:crypto'
import type { Families } from '../../../../core/chains/families.ts'
import {
  ContractUnavailableError,
  NodeUnavailableError,
  RevertedError,
  TransactionRefusedError,
  type AnchorRecord,
  type ChainAct,
  type ChainAdapter,
  type ChainAdapterOptions,
  type Receipt,
  type SendResult,
} from '../../../../core/chains/family.ts'
import type { Capabilities, Network } from '../../../../core/chains/networks.ts'
import { computeHash, signTransaction, type LedgerContent, type LedgerOperation } from './envelope.ts'
import { toAccount } from './keys.ts'
import { NumberSequence, type LedgerView } from './sequence.ts'
import type { AppliedTransaction, Ledger, LedgerFailure } from './state.ts'

/** The network of the product that the ledger stands in for: one that the product knows and does not serve yet. */
export const ledgerNetwork: Network = 'StellarQuickstart'
export const ledgerVariable = 'STELLAR_QUICKSTART_RPC_URL'

export const ledgerCapabilities: Capabilities = {
  operations: ['mintToIssuer', 'mintTo', 'transferTo', 'anchor'],
  deploys: ['passports'],
  maxTokensPerBatch: 20,
  maxBatchesPerContract: Infinity,
  maxRootsPerTransaction: 1,
  maxPointsPerTransaction: 1,
  maxMemoBytes: 32,
  reorganizes: false,
  expires: true,
}

/** How long a transaction may wait for its ledger, in milliseconds. */
const lifetimeMs = 1_500

const sentences: Partial<Record<LedgerFailure, string>> = {
  UNKNOWN_ACCOUNT: 'The receiving address is not valid.',
  TOKEN_EXISTS: 'The token exists already.',
  NOT_OWNER: 'The token has left its issuer before.',
}
const toSentence = (failure: LedgerFailure) => sentences[failure] ?? 'The ledger refused the operation.'

/** Asks the ledger. @throws NodeUnavailableError */
async function ask<T>(url: string, path: string, body?: string): Promise<T> {
  try {
    const options = body === undefined ? {} : { method: 'POST', body }
    const response = await fetch(`${url}/${path}`, { ...options, signal: AbortSignal.timeout(2_000) })
    return (await response.json()) as T
  } catch (cause) {
    throw new NodeUnavailableError('the ledger does not answer', { cause })
  }
}

/** Creates what a transaction contains. A root is the memo of a transaction without operations. */
function createContent(act: ChainAct): LedgerContent {
  const createTokens = (kind: 'issue' | 'move', to: string, tokens: readonly string[], issuer: string) => ({
    operations: tokens.map((token): LedgerOperation => ({ kind, issuer, token, to })),
    memo: createHash('sha256').update(tokens.join()).digest('hex'),
  })
  switch (act.kind) {
    case 'deploy':
      if (act.contract.kind !== 'passports') break
      return { operations: [{ kind: 'open', account: act.contract.issuer }], memo: '' }
    case 'mintBatch':
      return createTokens('issue', act.issuer, act.tokenIds, act.contract)
    case 'mint':
      return createTokens('issue', act.to, [act.tokenId], act.contract)
    case 'transfer':
      return createTokens('move', act.to, [act.tokenId], act.contract)
    case 'anchor':
      return { operations: [], memo: act.roots.map((root) => root.slice(2)).join('') }
  }
  throw new Error(`the ledger performs no ${act.kind}`)
}

/** Creates the adapter of a sender. It reads and sends over HTTP, and signs with the wallet's own key. */
function createLedgerAdapter({ rpcUrl, account: wallet, address }: ChainAdapterOptions): ChainAdapter {
  const view: LedgerView = { accountSequence: 0, closedAt: 0 }
  const read = async <T>(path: string, body?: string) => (await ask<{ value: T | null }>(rpcUrl, path, body)).value
  const readExisting = async <T>(path: string): Promise<T> => {
    const value = await read<T>(path)
    if (value === null) throw new NodeUnavailableError(`the ledger does not know ${path}`)
    return value
  }
  const createReceipt = async ({ hash, ledger, closedAt, failure, memo }: AppliedTransaction): Promise<Receipt> => {
    const { hash: blockHash } = await readExisting<Ledger>(`ledgers/${ledger}`)
    const first = await read<AppliedTransaction>(`memos/${memo}`)
    return {
      hash,
      succeeded: failure === null,
      block: { number: ledger, hash: blockHash },
      at: new Date(closedAt),
      contract: null,
      batch: ledger,
      from: null,
      roots: first?.hash === hash ? [`0x${memo}`] : [],
    }
  }
  return {
    openSequence: (sender) => new NumberSequence(view, sender),
    ensureWallet: async (name) => toAccount(name),
    checkNode: async () => (await readExisting<Ledger>('ledgers/1')).hash,
    async readSnapshot(hashes) {
      // The head comes first: a transaction that had expired by then has no result later.
      const head = await readExisting<Ledger>('head')
      const results = await Promise.all(hashes.map((hash) => read<AppliedTransaction>(`results/${hash}`)))
      const { sequence } = await readExisting<{ sequence: number }>(`accounts/${address}`)
      Object.assign(view, { accountSequence: sequence, closedAt: head.closedAt })
      const receipts = await Promise.all(results.flatMap((one) => (one ? [createReceipt(one)] : [])))
      return { head, receipts: new Map(receipts.map((receipt) => [receipt.hash, receipt])) }
    },
    hasBlocks: (blocks) =>
      Promise.all(blocks.map(async ({ number, hash }) => (await read<Ledger>(`ledgers/${number}`))?.hash === hash)),
    computeContractAddress: async (contract) => (contract.kind === 'passports' ? contract.issuer : address),
    async prepareAct(act) {
      const { memo, operations } = createContent(act)
      if (memo.length / 2 > (ledgerCapabilities.maxMemoBytes ?? 0)) throw new RevertedError('The memo is too long.')
      const failure = await read<LedgerFailure>('check', JSON.stringify(operations))
      if (failure === 'ACCOUNT_EXISTS') throw new ContractUnavailableError(toSentence(failure))
      if (failure !== null) throw new RevertedError(toSentence(failure))
      return {
        act,
        sign: async (_, sequence) =>
          signTransaction(wallet, { sequence, expiresAt: Date.now() + lifetimeMs, memo, operations }),
      }
    },
    async sendTransaction(raw) {
      const { failure } = await ask<{ failure: LedgerFailure | null }>(
        rpcUrl,
        'transactions',
        Buffer.from(raw).toString(),
      )
      return toSendResult(failure)
    },
    async readRevertReason(raw) {
      const { failure } = await readExisting<AppliedTransaction>(`results/${computeHash(raw)}`)
      return { text: toSentence(failure ?? 'MALFORMED'), temporary: false, full: false }
    },
    findOwners: (contract, tokenIds) =>
      Promise.all(tokenIds.map((token) => read<string>(`tokens/${contract}/${token}`))),
    // After its time bound, what has no result never happened.
    findEffect: () => Promise.resolve(null),
    async findAnchorRecord(_, root): Promise<AnchorRecord | null> {
      const first = await read<AppliedTransaction>(`memos/${root.slice(2)}`)
      return first && { hash: first.hash, blockNumber: first.ledger, at: new Date(first.closedAt) }
    },
  }
}

/** @throws TransactionRefusedError, NodeUnavailableError */
function toSendResult(failure: LedgerFailure | null): SendResult {
  if (failure === null) return 'taken'
  // What became of these, results and the account's number tell.
  if (failure === 'DUPLICATE' || failure === 'BAD_SEQUENCE' || failure === 'EXPIRED') return 'known'
  if (failure === 'INSUFFICIENT_BALANCE') throw new NodeUnavailableError('the sender has no balance')
  throw new TransactionRefusedError(`the ledger does not take the transaction: ${failure}`)
}

/** The families of a process that serves the ledger of the tests, and nothing else. */
export const ledgerFamilies: Families = {
  stellar: {
    capabilities: ledgerCapabilities,
    openAdapter: async (options) => createLedgerAdapter(options),
    isNodeReachable: (rpcUrl) =>
      ask<unknown>(rpcUrl, 'head').then(
        () => true,
        () => false,
      ),
  },
}
