import { timingSafeEqual } from 'node:crypto'
import { hitFaultPoint } from '../../kernel/process/fault-points.ts'
import type { Seal } from '../../kernel/sealing/seal.ts'
import type { SignedTransaction } from '../family.ts'
import type { Intent } from './intents.ts'
import {
  assertNetwork,
  createSigningDigest,
  authorizeIntent,
  isSameAddress,
  type AuthorizationOptions,
} from './authorization.ts'
import { findConsentingWallet } from './handovers.ts'
import { findSigningFamily, loadKeyAlgorithm, type SigningFamily } from './keys.ts'
import { assertBoundedFees } from './limits.ts'
import { createForbiddenError, SigningRefusedError } from './refusal.ts'
import type { SignerStore, StoredKey } from './store.ts'

export interface SendingWallet {
  account: string
  address: string
}

/** The operations of the signer. Each call may be repeated and gets the same answer. */
export interface Vault {
  /** Returns the address of a wallet. The wallet's random key is created at the first call. */
  ensureKey(account: string, family: SigningFamily): Promise<string>
  /** Erases the key of an account's wallet for ever; its address stays. */
  eraseKey(account: string, family: SigningFamily): Promise<{ erased: boolean }>
  /** Creates and signs the transaction of an intent. The same operation id with another intent is refused. */
  signIntent(operation: string, intent: Intent): Promise<SignedTransaction>
  /**
   * Lists the wallets, at least one, that send a network's transactions, and the owner of the contracts they deploy.
   */
  listSenders(network: string): Promise<{ senders: SendingWallet[]; owner: string | null }>
  /** Reseals the keys that another sealing key sealed. @returns number of keys */
  resealKeys(): Promise<number>
}

export interface VaultOptions extends AuthorizationOptions {
  store: SignerStore
  seal: Seal
  senderKeys: Partial<Record<string, readonly string[]>>
}

/** Opens the vault. First stores the sending keys that the operator configured, each under its own address. */
export async function openVault(options: VaultOptions): Promise<Vault> {
  const { store, seal, rules, evidence } = options
  const storeKey = async (account: string, family: SigningFamily, key: Uint8Array) => {
    const { toAddress } = await loadKeyAlgorithm(family)
    return store.insertKey(account, family, {
      address: toAddress(key),
      sealed: seal.encrypt(`${family}:${account}`, key),
    })
  }
  const ensureKey = async (account: string, family: SigningFamily) => {
    const storedKey = await store.findKey(account, family)
    if (storedKey) return storedKey.address
    return (await storeKey(account, family, (await loadKeyAlgorithm(family)).createKey())).address
  }
  const configured = await storeConfiguredSenders(options, storeKey)
  const findSenders = async (network: string): Promise<SendingWallet[]> => {
    const configuredWallets = configured.get(network)
    if (configuredWallets?.length) return configuredWallets
    const family = findSigningFamily(network)
    if (family === undefined) throw createForbiddenError('NETWORK', 'There is no such network here.')
    const account = `sender:${network}:0`
    return [{ account, address: await ensureKey(account, family) }]
  }
  // The cache holds keys as they are sealed in the table. Keys never change.
  const keyCache = new Map<string, StoredKey>()
  const signBytes = async (account: string, family: SigningFamily, bytes: Uint8Array) => {
    const name = `${family}:${account}`
    const key = keyCache.get(name) ?? (await store.findKey(account, family))
    if (!key || key.sealed.length === 0)
      throw new SigningRefusedError(404, 'UNKNOWN_WALLET', 'There is no such wallet.')
    keyCache.set(name, key)
    const secret = seal.decrypt(name, key.sealed)
    const signature = Buffer.from(await (await loadKeyAlgorithm(family)).signBytes(secret, bytes))
    secret.fill(0)
    return signature
  }
  const signConsentOf = async (act: Intent['act'] & { kind: 'passOn' }, { network, chainId }: Intent) => {
    const wallet = await findConsentingWallet(evidence, act)
    const family = findSigningFamily(network) ?? 'evm'
    const { signConsent } = await import('../evm/acts/pass-on.ts')
    return signConsent(act, chainId, (bytes) => signBytes(wallet, family, bytes))
  }
  return {
    ensureKey: async (account, family) => {
      if (!/^(account|issuer):[\w.-]{1,100}$/.test(account)) {
        throw new SigningRefusedError(400, 'MALFORMED', 'A wallet is named account:<id> or issuer:<application>.')
      }
      return ensureKey(account, family)
    },
    async eraseKey(account, family) {
      if (!/^account:[\w.-]{1,100}$/.test(account))
        throw new SigningRefusedError(400, 'MALFORMED', 'Only the key of account:<id> can be erased.')
      keyCache.delete(`${family}:${account}`)
      return { erased: await store.eraseKey(account, family) }
    },
    async signIntent(operation, intent) {
      const { account, network, nonce, act } = intent
      const family = assertNetwork(intent)
      const sending = await findSenders(network)
      const sender =
        sending.find((one) => one.account === account)?.address ?? (await store.findKey(account, family))?.address
      if (sender === undefined) throw new SigningRefusedError(404, 'UNKNOWN_WALLET', 'There is no such wallet.')
      const owner = rules.owners[network] ?? null
      if (act.kind === 'deploy' && owner === null)
        throw createForbiddenError('OWNER', 'The network has no owner for contracts.')
      assertBoundedFees(intent, rules.maxFeeGwei[network])
      const earlierSignature = await store.findSignature(operation)
      // A wallet of a person signs nothing before it is authorized, also inside of the transaction.
      if (!earlierSignature) await authorizeIntent(options, intent, sending)
      const { createTransaction } = await import('../evm/acts/transaction.ts')
      const consent = act.kind === 'passOn' ? await signConsentOf(act, intent) : undefined
      const unsigned = await createTransaction(intent, { sender, owner }, consent)
      const digest = createSigningDigest(account, unsigned.bytes)
      if (earlierSignature) return unsigned.addSignature(assertSameDigest(earlierSignature, digest))
      const signature = await signBytes(account, family, unsigned.bytes)
      if (act.kind === 'deploy') {
        const { computeDeploymentAddress } = await import('../evm/acts/deployment.ts')
        const {
          kind,
          application = null,
          issuer = null,
        } = { application: undefined, issuer: undefined, ...act.contract }
        await evidence.insertDeployment({
          network,
          address: computeDeploymentAddress(sender, nonce),
          kind,
          account,
          application,
          issuer,
        })
      }
      // The signature that is stored first counts. A signature that was not stored never leaves this process.
      const contract = act.kind === 'deploy' || act.kind === 'fill' ? null : act.contract
      const storedSignature = await store.insertSignature(operation, {
        account,
        digest,
        signature,
        network,
        nonce,
        act: act.kind,
        contract,
      })
      hitFaultPoint('signature.stored', { step: 'sign', operation })
      return unsigned.addSignature(assertSameDigest(storedSignature, digest))
    },
    resealKeys: () =>
      store.resealKeys(seal.prefix, ({ account, family, sealed }) => {
        const name = `${family}:${account}`
        const secret = seal.decrypt(name, sealed)
        const again = seal.encrypt(name, secret)
        secret.fill(0)
        return again
      }),
    listSenders: async (network) => ({ senders: await findSenders(network), owner: rules.owners[network] ?? null }),
  }
}

function assertSameDigest({ digest, signature }: { digest: Buffer; signature: Buffer }, expected: Buffer): Buffer {
  if (timingSafeEqual(digest, expected)) return signature
  throw new SigningRefusedError(409, 'OPERATION_REUSED', 'This operation was signed with another intent.')
}

type KeyStorage = (account: string, family: SigningFamily, key: Uint8Array) => Promise<StoredKey>

async function storeConfiguredSenders(
  { senderKeys, rules }: VaultOptions,
  storeKey: KeyStorage,
): Promise<Map<string, SendingWallet[]>> {
  const configured = new Map<string, SendingWallet[]>()
  for (const [network, texts] of Object.entries(senderKeys)) {
    // Keys of a family that is not supported yet are skipped until it is.
    const family = findSigningFamily(network)
    if (family === undefined) continue
    const keys = await loadKeyAlgorithm(family)
    const own = (texts ?? []).filter((text) => text.startsWith('0x'))
    const senders = await Promise.all(
      own.map(async (text) => {
        const key = keys.parseKey(text)
        const account = `sender:${network}:${keys.toAddress(key)}`
        return { account, address: (await storeKey(account, family, key)).address }
      }),
    )
    const owner = rules.owners[network]
    if (owner !== undefined && senders.some(({ address }) => isSameAddress(address, owner))) {
      throw new Error(`the owner of the contracts on ${network} is one of its senders; it must be another address`)
    }
    configured.set(network, senders)
  }
  return configured
}
