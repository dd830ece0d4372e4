import { createHash, timingSafeEqual } from 'node:crypto'
import { faultPoint } from '../../kernel/fault.ts'
import { keysOf, type SigningFamily } from './keys.ts'
import type { Seal } from '../../kernel/seal.ts'
import type { Store, StoredKey } from './store.ts'

/** The signer will not do it, ever. `status` is an HTTP status code. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export interface Sender { account: string; address: string }

/** What the signer does. Each input may come again and is answered the same. */
export interface Vault {
  /** The address of an account, whose random key is made at the first call. */
  ensureKey(account: string, family: SigningFamily): Promise<string>
  /** Signs with an account's key. The same operation with other bytes or another account is refused. */
  sign(operation: string, account: string, family: SigningFamily, bytes: Uint8Array): Promise<Uint8Array>
  /** The accounts that send a network's transactions, at least one. */
  senders(network: string): Promise<Sender[]>
}

/** Opens the vault. Keys that the operator configured for sending are taken in first, each under its own address. */
export async function openVault(
  store: Store, seal: Seal, senderKeys: Partial<Record<string, readonly string[]>>,
): Promise<Vault> {
  const configured = new Map<string, Sender[]>()
  const keep = async (account: string, family: SigningFamily, key: Uint8Array) => {
    const { address } = await keysOf(family)
    return store.keepKey(account, family, { address: address(key), sealed: seal.close(`${family}:${account}`, key) })
  }
  for (const [network, texts] of Object.entries(senderKeys)) {
    // Families without keys here take theirs in when they come.
    const own = (texts ?? []).filter((text) => text.startsWith('0x'))
    configured.set(network, await Promise.all(own.map(async (text) => {
      const keys = await keysOf('evm')
      const key = keys.read(text)
      const account = `sender:${network}:${keys.address(key)}`
      return { account, address: (await keep(account, 'evm', key)).address }
    })))
  }
  // Sealed as they are in the table: keys never change.
  const known = new Map<string, StoredKey>()
  const vault: Vault = {
    async ensureKey(account, family) {
      const there = await store.key(account, family)
      if (there) return there.address
      return (await keep(account, family, (await keysOf(family)).create())).address
    },
    async sign(operation, account, family, bytes) {
      const digest = createHash('sha256').update(`${family}:${account}:`).update(bytes).digest()
      const name = `${family}:${account}`
      const key = known.get(name) ?? await store.key(account, family)
      if (!key) throw new Refusal(404, 'There is no such account.')
      known.set(name, key)
      const secret = seal.open(name, key.sealed)
      const signature = Buffer.from(await (await keysOf(family)).sign(secret, bytes))
      secret.fill(0)
      // The first one kept counts; what was not kept never leaves this process.
      const kept = await store.keepSignature(operation, { account, digest, signature })
      faultPoint('signature.stored', { step: 'sign', operation })
      if (!timingSafeEqual(kept.digest, digest)) throw new Refusal(409, 'This operation was signed with other content.')
      return kept.signature
    },
    async senders(network) {
      const given = configured.get(network)
      if (given?.length) return given
      const account = `sender:${network}:0`
      return [{ account, address: await vault.ensureKey(account, 'evm') }]
    },
  }
  return vault
}
