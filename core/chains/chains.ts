import type { Knex } from 'knex'
import type { Chains, NewOperation, NewRecord } from './chain.ts'
import type { Notices } from '../kernel/parts.ts'
import { chainChannel } from './bell.ts'
import { deployedContracts, wantContracts, wantSharedContracts } from './contracts.ts'
import { answersAt } from './families.ts'
import { networks, type Network } from './networks.ts'
import { insertOperations } from './operations.ts'
import { insertRecords } from './records.ts'
import { signerAt, type SignerAddress } from './signer/client.ts'

export interface ChainsParts {
  settings: SignerAddress & { rpcUrls: Partial<Record<string, string>> }
  notices: Pick<Notices, 'notify'>
}

/** The port for features: writes rows and asks the signer; it never talks to a node. */
export function chainsOf({ settings, notices }: ChainsParts): Chains {
  const signer = signerAt(settings)
  const notify = async (trx: Knex, wanted: readonly { network: Network }[]) => {
    for (const network of new Set(wanted.map((one) => one.network))) await notices.notify(trx, chainChannel, network)
  }
  const hasSigner = settings.signerSecret !== undefined && (settings.signerSocket ?? settings.signerUrl) !== undefined
  return {
    usable: (network) => networks[network].family === 'evm' && settings.rpcUrls[network] !== undefined && hasSigner,
    hasWallets: (network) => networks[network].family === 'evm',
    async answers(network) {
      const rpcUrl = settings.rpcUrls[network]
      return networks[network].family === 'evm' && rpcUrl !== undefined && answersAt(rpcUrl)
    },
    address: (network, wallet) => signer.ensureKey(wallet, familyOf(network)),
    async queue(trx, collection, operations) {
      if (operations.length === 0) return
      for (const operation of operations) check(operation)
      await wantContracts(trx, collection, operations)
      await insertOperations(trx, operations)
      await notify(trx, operations)
    },
    async record(trx, records) {
      if (records.length === 0) return
      for (const record of records) checkRecord(record)
      await wantSharedContracts(trx, records)
      await insertRecords(trx, records)
      await notify(trx, records)
    },
    // The notice that queueing gave has rung in every process when its transaction was committed.
    ring: () => undefined,
    contracts: (db, applications) => deployedContracts(db, applications),
  }
}

function familyOf(network: keyof typeof networks): 'evm' {
  const { family } = networks[network]
  if (family !== 'evm') throw new Error(`wallets on ${network} are not served here`)
  return family
}

/** A wrong operation would fail on chain later; here it is its writer's mistake. */
function check({ id, kind, tokenId, to }: NewOperation): void {
  const refuse = (what: string) => { throw new TypeError(`operation ${id}: ${what}`) }
  if (!/^0x[0-9a-f]{64}$/.test(tokenId)) refuse('a token id is 0x and 64 small hexadecimal digits')
  if (kind !== 'mintToIssuer' && !to) refuse(`${kind} needs a receiver`)
}

/** The same of a record. */
function checkRecord(record: NewRecord): void {
  const words = record.kind === 'anchor' ? [record.root] : record.kind === 'rotateKey'
    ? [record.key, record.previous]
    : [record.key]
  if (words.every((word) => /^0x[0-9a-f]{64}$/.test(word)) && new Set(words).size === words.length) return
  throw new TypeError(`record ${record.id}: a root or key is 0x and 64 small hexadecimal digits, no key follows itself`)
}
