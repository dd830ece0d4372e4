import { timingSafeEqual } from 'node:crypto'
import { faultPoint } from '../../kernel/fault.ts'
import type { Seal } from '../../kernel/seal.ts'
import type { Signed } from '../family.ts'
import type { Intent } from './intents.ts'
import { demandNetwork, digestOf, judge, sameAddress, type JudgeParts } from './judge.ts'
import { keysOf, type SigningFamily } from './keys.ts'
import { demandBoundedFees } from './limits.ts'
import { forbidden, Refusal } from './refusal.ts'
import type { Store, StoredKey } from './store.ts'

export interface Sender { account: string; address: string }

/** What the signer does. Each input may come again and is answered the same. */
export interface Vault {
  /** The address of a wallet, whose random key is made at the first call. */
  ensureKey(account: string, family: SigningFamily): Promise<string>
  /** Makes and signs the transaction of an intent. The same operation with another intent is refused. */
  sign(operation: string, intent: Intent): Promise<Signed>
  /** The wallets that send a network's transactions, at least one, and who owns what they deploy. */
  senders(network: string): Promise<{ senders: Sender[]; owner: string | null }>
  /** Seals the keys again that another key sealed. @returns how many */
  reseal(): Promise<number>
}

export interface VaultParts extends JudgeParts {
  store: Store
  seal: Seal
  senderKeys: Partial<Record<string, readonly string[]>>
}

/** Opens the vault. Keys that the operator configured for sending are taken in first, each under its own address. */
export async function openVault(parts: VaultParts): Promise<Vault> {
  const { store, seal, rules, evidence } = parts
  const keep = async (account: string, family: SigningFamily, key: Uint8Array) => {
    const { address } = await keysOf(family)
    return store.keepKey(account, family, { address: address(key), sealed: seal.close(`${family}:${account}`, key) })
  }
  const ensureKey = async (account: string, family: SigningFamily) => {
    const there = await store.key(account, family)
    if (there) return there.address
    return (await keep(account, family, (await keysOf(family)).create())).address
  }
  const configured = await configuredSenders(parts, keep)
  const senders = async (network: string): Promise<Sender[]> => {
    const given = configured.get(network)
    if (given?.length) return given
    const account = `sender:${network}:0`
    return [{ account, address: await ensureKey(account, 'evm') }]
  }
  // Sealed as they are in the table: keys never change.
  const known = new Map<string, StoredKey>()
  const signBytes = async (account: string, bytes: Uint8Array) => {
    const name = `evm:${account}`
    const key = known.get(name) ?? await store.key(account, 'evm')
    if (!key) throw new Refusal(404, 'UNKNOWN_WALLET', 'There is no such wallet.')
    known.set(name, key)
    const secret = seal.open(name, key.sealed)
    const signature = Buffer.from(await (await keysOf('evm')).sign(secret, bytes))
    secret.fill(0)
    return signature
  }
  return {
    ensureKey: async (account, family) => {
      if (!/^(account|issuer):[\w.-]{1,100}$/.test(account)) {
        throw new Refusal(400, 'MALFORMED', 'A wallet is named account:<id> or issuer:<application>.')
      }
      return ensureKey(account, family)
    },
    async sign(operation, intent) {
      const { account, network, nonce, act } = intent
      demandNetwork(intent)
      const sending = await senders(network)
      const sender = sending.find((one) => one.account === account)?.address ?? (await store.key(account, 'evm'))?.address
      if (sender === undefined) throw new Refusal(404, 'UNKNOWN_WALLET', 'There is no such wallet.')
      const owner = rules.owners[network] ?? null
      if (act.kind === 'deploy' && owner === null) throw forbidden('OWNER', 'The network has no owner for contracts.')
      demandBoundedFees(intent, rules.maxFeeGwei[network])
      const { transactionOf } = await import('../evm/transaction.ts')
      const unsigned = await transactionOf(intent, { sender, owner })
      const digest = digestOf(account, unsigned.bytes)
      const before = await store.signature(operation)
      if (before) return unsigned.signed(demandSame(before, digest))
      await judge(parts, intent, sending)
      const signature = await signBytes(account, unsigned.bytes)
      if (act.kind === 'deploy') {
        const { contractAt } = await import('../evm/deployment.ts')
        const { kind, application = null, issuer = null } = { application: undefined, issuer: undefined, ...act.contract }
        await evidence.keepDeployment({ network, address: contractAt(sender, nonce), kind, account, application, issuer })
      }
      // The first one kept counts; what was not kept never leaves this process.
      const contract = act.kind === 'deploy' || act.kind === 'fill' ? null : act.contract
      const kept = await store.keepSignature(operation, { account, digest, signature, network, nonce, act: act.kind, contract })
      faultPoint('signature.stored', { step: 'sign', operation })
      return unsigned.signed(demandSame(kept, digest))
    },
    reseal: () => store.reseal(seal.prefix, ({ account, family, sealed }) => {
      const name = `${family}:${account}`
      const secret = seal.open(name, sealed)
      const again = seal.close(name, secret)
      secret.fill(0)
      return again
    }),
    senders: async (network) => ({ senders: await senders(network), owner: rules.owners[network] ?? null }),
  }
}

function demandSame({ digest, signature }: { digest: Buffer; signature: Buffer }, expected: Buffer): Buffer {
  if (timingSafeEqual(digest, expected)) return signature
  throw new Refusal(409, 'OPERATION_REUSED', 'This operation was signed with another intent.')
}

type Keep = (account: string, family: SigningFamily, key: Uint8Array) => Promise<StoredKey>

async function configuredSenders({ senderKeys, rules }: VaultParts, keep: Keep): Promise<Map<string, Sender[]>> {
  const configured = new Map<string, Sender[]>()
  const keys = await keysOf('evm')
  for (const [network, texts] of Object.entries(senderKeys)) {
    // Families without keys here take theirs in when they come.
    const own = (texts ?? []).filter((text) => text.startsWith('0x'))
    const senders = await Promise.all(own.map(async (text) => {
      const key = keys.read(text)
      const account = `sender:${network}:${keys.address(key)}`
      return { account, address: (await keep(account, 'evm', key)).address }
    }))
    const owner = rules.owners[network]
    if (owner !== undefined && senders.some(({ address }) => sameAddress(address, owner))) {
      throw new Error(`the owner of the contracts on ${network} is one of its senders; it must be another address`)
    }
    configured.set(network, senders)
  }
  return configured
}
