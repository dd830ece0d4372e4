import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto'
import type { Signer } from '../../../../core/chains/signer/client.ts'

/** The beginning of an Ed25519 private key in PKCS #8. Source: RFC 8410. */
const privateKeyPrefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Creates the key of a wallet from its name, so that every process of a test has the same keys. */
function createKey(wallet: string): KeyObject {
  const seed = createHash('sha256').update(`test ledger ${wallet}`).digest()
  return createPrivateKey({ key: Buffer.concat([privateKeyPrefix, seed]), format: 'der', type: 'pkcs8' })
}

/** Returns the account of a wallet: `L` and the public key in hexadecimal digits. */
export function toAccount(wallet: string): string {
  const { x = '' } = createPublicKey(createKey(wallet)).export({ format: 'jwk' })
  return `L${Buffer.from(x, 'base64url').toString('hex')}`
}

export const signBytes = (wallet: string, bytes: Uint8Array): string =>
  sign(null, bytes, createKey(wallet)).toString('base64')

/** The wallet that sends. */
export const senderWallet = 'sender:ledger:0'

/** Stands in for the signer, which has no keys of this family. */
export const ledgerSigner: Signer = {
  ensureKey: async (wallet) => toAccount(wallet),
  eraseKey: async () => ({ erased: true }),
  signIntent: () => Promise.reject(new Error('the ledger has no such intents')),
  readSenders: async () => ({
    senders: [{ account: senderWallet, address: toAccount(senderWallet) }],
    owner: null,
  }),
  resealKeys: async () => ({ resealed: 0 }),
  close: () => undefined,
}
