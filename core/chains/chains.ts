import type { Knex } from 'knex'
import type { Chains, NewChainRecord, NewPointsOperation, NewTokenOperation } from './port.ts'
import type { Notices } from '../kernel/ports/notices.ts'
import { chainChannel } from './wake-signal.ts'
import {
  listApplicationContracts,
  insertWantedContracts,
  insertWantedHandovers,
  insertWantedSharedContracts,
} from './engine/rows/contracts.ts'
import { servedFamilies, type Families, type Family } from './families.ts'
import { networks, type Network } from './networks.ts'
import { readOperationStates } from './engine/rows/operation-states.ts'
import { insertOperations } from './engine/rows/operations.ts'
import { findPointsContract, insertPoints } from './engine/rows/points.ts'
import { findAnchorsContract, insertRecords } from './engine/rows/records.ts'
import { wordPattern } from './acts/act.ts'
import { getPointsAct, getRecordAct, getTokenAct } from './acts/acts.ts'
import { NodeUnavailableError } from './family.ts'
import { createSignerClient, type Signer, type SignerAddress } from './signer/client.ts'

export interface ChainsOptions {
  settings: SignerAddress & { rpcUrls: Partial<Record<string, string>> }
  notices: Pick<Notices, 'notify'>
  /** The families to serve; those of the product if left out. */
  families?: Families
  signer?: Signer
}

/** Creates the port for features. The port writes rows, calls the signer, and asks a node only whether it answers and for points. */
export function createChains({
  settings,
  notices,
  families = servedFamilies,
  signer = createSignerClient(settings),
}: ChainsOptions): Chains {
  const getFamily = (network: Network): Family | undefined => families[networks[network].family]
  const notifySenders = async (trx: Knex, wanted: readonly { network: Network }[]) => {
    for (const network of new Set(wanted.map((one) => one.network))) await notices.notify(trx, chainChannel, network)
  }
  const hasSigner = settings.signerSecret !== undefined && (settings.signerSocket ?? settings.signerUrl) !== undefined
  return {
    canSend: (network) => getFamily(network) !== undefined && settings.rpcUrls[network] !== undefined && hasSigner,
    performs: (network, kind) => performsKind(getFamily(network), network, kind),
    hasWallets: (network) => getFamily(network) !== undefined,
    async isReachable(network) {
      const rpcUrl = settings.rpcUrls[network]
      return rpcUrl !== undefined && (await getFamily(network)?.isNodeReachable(rpcUrl)) === true
    },
    async ensureWalletAddress(network, wallet) {
      if (!getFamily(network)) throw new Error(`wallets on ${network} are not served here`)
      return signer.ensureKey(wallet, networks[network].family)
    },
    async eraseWallet(network, wallet) {
      await signer.eraseKey(wallet, networks[network].family)
    },
    async queueOperations(trx, collection, operations) {
      if (operations.length === 0) return
      for (const operation of operations) {
        assertPerformed(getFamily(operation.network), operation)
        assertTokenOperation(operation)
      }
      await insertWantedContracts(trx, collection, operations)
      await insertWantedHandovers(trx, operations)
      await insertOperations(trx, operations)
      await notifySenders(trx, operations)
    },
    async queueRecords(trx, records) {
      if (records.length === 0) return
      for (const record of records) {
        assertPerformed(getFamily(record.network), record)
        assertChainRecord(record)
      }
      await insertWantedSharedContracts(trx, records)
      await insertRecords(trx, records)
      await notifySenders(trx, records)
    },
    async queuePoints(trx, collection, operations) {
      if (operations.length === 0) return
      for (const operation of operations) {
        assertPerformed(getFamily(operation.network), operation)
        assertPointsOperation(operation)
      }
      await insertPoints(trx, collection, operations)
      await notifySenders(trx, operations)
    },
    // There is nothing to do: the notice of what was queued goes out when its transaction commits.
    wakeSender: () => undefined,
    listDeployedContracts: (db, applications) => listApplicationContracts(db, applications),
    readOperationStates: (db, ids) => readOperationStates(db, ids),
    async readPoints(db, network, application, accounts) {
      const contract = await findPointsContract(db, network, application)
      const rpcUrl = settings.rpcUrls[network]
      const family = getFamily(network)
      if (contract === null) return new Map(accounts.map((account) => [account, 0n]))
      if (rpcUrl === undefined || !family?.readPositions)
        throw new NodeUnavailableError(`no node of ${network} is configured`)
      const positions = await family.readPositions(rpcUrl, contract, accounts)
      return new Map(accounts.map((account, index) => [account, positions[index] ?? 0n]))
    },
    async readAnchorTime(db, network, root) {
      const contract = await findAnchorsContract(db, network)
      const rpcUrl = settings.rpcUrls[network]
      const family = getFamily(network)
      if (contract === null) return null
      if (rpcUrl === undefined || !family?.readAnchorTime)
        throw new NodeUnavailableError(`no node of ${network} is configured`)
      return family.readAnchorTime(rpcUrl, contract, root)
    },
  }
}

type AnyOperation = NewTokenOperation | NewChainRecord | NewPointsOperation

/** Returns whether operations of a kind are performed on a network. */
const performsKind = (family: Family | undefined, network: Network, kind: AnyOperation['kind']): boolean =>
  family?.capabilities.operations.includes(kind) === true && (kind !== 'passOn' || networks[network].delegates)

/** Throws if an operation is not performed on its network, where it would then wait for ever. */
function assertPerformed(family: Family | undefined, { id, kind, network }: AnyOperation): void {
  if (family && !performsKind(family, network, kind))
    throw new TypeError(`operation ${id}: ${kind} is not performed on ${network}`)
}

/** Throws if an operation is invalid: it would only fail later on the chain, although its writer made the mistake. */
function assertTokenOperation({ id, kind, tokenId, to, consent }: NewTokenOperation): void {
  const throwInvalid = (what: string) => {
    throw new TypeError(`operation ${id}: ${what}`)
  }
  if (!wordPattern.test(tokenId)) throwInvalid('a token id is 0x and 64 small hexadecimal digits')
  if (getTokenAct(kind).hasReceiver && !to) throwInvalid(`${kind} needs a receiver`)
  if (getTokenAct(kind).needsConsent !== (consent !== undefined))
    throwInvalid(`${kind} names an owner who agrees if it needs one, and else none`)
}

/** Throws if an entry of points is invalid, for the same reason as `assertTokenOperation`. */
function assertPointsOperation(operation: NewPointsOperation): void {
  if (getPointsAct(operation.kind).isWellFormed(operation)) return
  throw new TypeError(`points ${operation.id}: an id is 0x and 64 small hexadecimal digits, an amount 1 to 10^18 - 1`)
}

/** Throws if a record is invalid, for the same reason as `assertTokenOperation`. */
function assertChainRecord(record: NewChainRecord): void {
  if (getRecordAct(record.kind).isWellFormed(record)) return
  throw new TypeError(`record ${record.id}: a root or key is 0x and 64 small hexadecimal digits, no key follows itself`)
}
